"""Who does the calls of a run: this process, processes of this machine, or a Dask cluster.

Each takes calls by name and gives back answers as they come, in any order. An answer is what the
call returned, or :class:`Lost` where it raised or its process died; the other calls go on. Imports
nothing of the laboratory but ``limits`` and ``messages``.
"""

from .calls import Call, Lost, Pool
from .choose_pool import Workers, pool

__all__ = ["Call", "Lost", "Pool", "Workers", "pool"]

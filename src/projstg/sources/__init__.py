"""Where sums over rows come from: arrays in chunks, Arrow streams, Parquet folders, Dask.

May import: the core's arrays, kernel and data. Nothing here needs all rows at once.
"""

from .statistics import Statistics

__all__ = ["Statistics"]

"""The compiled kernel: C sources, the loader, nothing else.

Every function here is one of :mod:`.._core.score`, ``search`` or ``posterior`` written again in C;
that one is its definition, and ``tests/_core/kernel`` holds the two together. Without a compiler,
or with ``PROJSTG_KERNEL=0``, there is no kernel, and NumPy gives the same answers.
"""

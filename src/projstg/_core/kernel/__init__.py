"""The compiled kernel: C sources, the loader, nothing else.

Every function here is one of another room of ``_core`` written again in C. That one is its
definition. Where there is no C compiler, or with ``PROJSTG_KERNEL=0``, there is no kernel, and
NumPy gives the same answers.
"""

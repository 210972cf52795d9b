"""The mathematics as pure functions of arrays: leading batch axes, no classes to subclass.

Read the files in this order; each imports only from those before it:
``backend``, ``gates``, ``penalty``, ``statistics``, ``projection``, ``risk``, ``optimize``.
"""

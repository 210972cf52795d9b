"""The mathematics as pure functions of arrays: leading batch axes, no classes to subclass.

Each file imports only from files before it in this order: ``backend`` (which library an array
belongs to); ``gates``, ``splines``, ``statistics``; ``penalty``, ``projection``, ``partial``,
``pursuit``, ``support``, ``table``; ``risk``, ``noise``; ``optimize``, ``algorithm1``, ``joint``,
``fit``: the gates; ``evidence`` to ``refine``: the search; ``solve``: the whole job.
"""

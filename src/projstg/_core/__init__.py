"""The mathematics as pure functions of arrays: leading batch axes, no classes to subclass.

Nine rooms, each of which imports only from those before it: ``arrays``, ``kernel``, ``data``,
``greedy``, ``gates``, then ``score``, ``search``, ``posterior``, and last ``pipeline``, where gates
and search meet. ``docs/architecture.md`` has the plan of the whole package.
"""

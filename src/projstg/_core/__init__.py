"""The mathematics as pure functions of arrays: no classes to subclass, one problem at a time.

Gates and pursuits alone are fitted to a batch of problems, for a GPU.

Nine rooms, each of which imports only from those before it: ``arrays``, ``kernel``, ``data``,
``greedy``, ``gates``, then ``score``, ``search``, ``posterior``, and last ``pipeline``, where gates
and search meet. ``docs/architecture.md`` has the plan of the whole package.
"""

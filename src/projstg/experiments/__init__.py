"""The laboratory: experiments, the methods they compare, runs and their results.

A spec (``spec``) becomes tasks (``tasks``); a run (``runner``) gives the tasks without rows to a
pool of processes (``pool``); each task (``trial``) draws problems (``datasets``, ``real_data``),
fits a method (``registry``, ``fit_method``), evaluates it (``evaluate``) and returns rows; rows are
kept in a folder (``store``) and become one line per setting and method (``summary``).
"""

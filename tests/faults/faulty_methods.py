"""Methods that do what no method should do, and are plain choices of K columns otherwise."""

import ctypes
import os
import sys
from itertools import repeat

import numpy as np

KEPT = []


class Plain:
    def __init__(self, known):
        self.known = known

    def act(self):
        """Do nothing."""

    def fit(self, X, y):
        self.act()
        self.order = np.argsort(-np.abs(X.T @ y))
        return self

    def get_support(self):
        return np.isin(np.arange(len(self.order)), self.order[: self.known.n_features_to_select])


class Raises(Plain):
    def act(self):
        raise RuntimeError("a \x1b[31mbad\x07 day")


class Quits(Plain):
    def act(self):
        sys.exit("enough")


class Hangs(Plain):
    def act(self):
        while True:
            try:
                while True:
                    pass
            except Exception:  # such as a method that tries again whatever happens
                pass


class Leaks(Plain):
    def act(self):
        while True:
            KEPT.append(np.empty(2**22))


class Short(Plain):
    def get_support(self):
        return super().get_support()[:-1]


class Fatal(Plain):
    """Ends its process, in one of three ways or not at all, by the seed of the problem."""

    def act(self):
        kind = KINDS[self.known.seed % 4]
        if kind == "exits":
            os._exit(3)
        if kind == "segfaults":
            ctypes.string_at(0)
        if kind == "stuck":
            sum(repeat(0))  # in C, without a look at signals


KINDS = ("exits", "segfaults", "stuck", "fine")

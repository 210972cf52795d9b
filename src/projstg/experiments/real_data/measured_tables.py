"""The measured tables: how large they are, and how they are fetched once in a process."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...datasets.real import fetch_ailerons, fetch_triazines

__all__ = ["TABLES", "RealTable", "loaded", "missing_tables"]

# Seconds without an answer after which a download is given up.
_DOWNLOAD_TIMEOUT = 20.0


@dataclass(frozen=True)
class RealTable:
    """A table: the function that fetches it, and its size."""

    fetch: Callable[..., Any]
    n_rows: int
    n_inputs: int


TABLES = {
    "ailerons": RealTable(fetch_ailerons, 13750, 40),
    "triazines": RealTable(fetch_triazines, 186, 60),
}
"""The tables by the name of their design."""


@cache
def loaded(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the inputs (n_rows, n_inputs) and the target (n_rows,) of a table."""
    with _download_timeout(), warnings.catch_warnings(action="ignore"):
        X, y = TABLES[name].fetch(return_X_y=True, n_retries=1)
    return X, y


@contextmanager
def _download_timeout() -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_DOWNLOAD_TIMEOUT)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def missing_tables(settings: Iterable[dict[str, Any]], download: bool = True) -> dict[str, str]:
    """Return the tables that settings need and that are missing, and what to do about each.

    With ``download`` they are fetched, and only those that could not be are missing.
    """
    names = dict.fromkeys(one["design"] for one in settings if one.get("design") in TABLES)
    found = {name: _what_is_missing(name, download) for name in names}
    return {name: missing for name, missing in found.items() if missing}


def _what_is_missing(name: str, download: bool) -> str:
    """Return why a table cannot be had; empty where it can."""
    try:
        if download:
            loaded(name)
        else:
            TABLES[name].fetch(download_if_missing=False)
    except (OSError, ValueError) as error:
        return " ".join(str(error).split())
    return ""

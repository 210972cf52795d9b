"""Many fits in threads and in processes: the same answers to the last bit, and flat memory."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from joblib import Parallel, delayed
from soaking import TIMES, count

from projstg import ProjectedSTG

N_FITS = max(16, round(40 * TIMES))
QUESTIONS = (
    {"n_features_to_select": 3},
    {"n_features_to_select": "auto"},
    {"n_features_to_select": 4, "criterion": "least-squares"},
    {"n_features_to_select": 3, "refine": False},
)


def answer(number):
    """Fit one of sixteen problems; return what must be the same wherever it is fitted."""
    rng = np.random.default_rng(number % 16)
    X = rng.standard_normal((30, 12))
    y = X[:, :3].sum(axis=1) + rng.standard_normal(30)
    model = ProjectedSTG(**QUESTIONS[number % len(QUESTIONS)]).fit(X, y)
    return model.coef_.tobytes(), model.objective_, model.alternatives_


def resident():
    """The memory this process holds, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.fixture(scope="module")
def serial():
    return [answer(number) for number in range(16)]


def test_threads_answer_as_one_does(serial):
    with ThreadPoolExecutor(4) as pool:
        for number, found in enumerate(pool.map(answer, range(N_FITS))):
            assert found == serial[number % 16]
    count("fit", "in four threads", N_FITS)


def test_processes_answer_as_one_does(serial):
    for number, found in enumerate(Parallel(n_jobs=2)(map(delayed(answer), range(N_FITS)))):
        assert found == serial[number % 16]
    count("fit", "in two processes", N_FITS)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc on this system")
def test_memory_does_not_grow(serial):
    for number in range(N_FITS // 4):
        answer(number)
    before = resident()
    for number in range(N_FITS):
        answer(number)
    assert resident() < before + 24
    count("fit", "one after another, memory flat", N_FITS)

"""Scores are the formulas; a support of the wrong size is a failure."""

import numpy as np
import pytest
from oracles_search import dilution, volume
from small_experiment import spec

from projstg.datasets import make_sparse_regression
from projstg.experiments.evaluate import scores
from projstg.experiments.runner import run
from projstg.experiments.store import read_rows


def plain_scores(X, y, support):
    """Both scores by their formulas."""
    n = len(y)
    Z = X / np.sqrt(np.mean(X**2, axis=0))
    A = Z[:, support]
    G, b = A.T @ A, A.T @ y
    evidences = []
    for kappa in 10.0 ** np.arange(-6, 2.5, 0.5):
        H = G + kappa * np.eye(len(support))
        rss = y @ y - b @ np.linalg.solve(H, b)
        evidences.append(-(n * np.log(rss) + volume(Z, support, kappa)) / 2)
    residual = y - A @ np.linalg.lstsq(A, y)[0]
    score = -2 * np.log(np.mean(np.exp(evidences))) + dilution(Z, support)
    return score, n * np.log(residual @ residual)


def test_scores_are_the_formulas(rng):
    problems = [make_sparse_regression(20, 12, 3, noise_std=1.0, repetition=r) for r in range(3)]
    X, y = np.stack([p.X for p in problems]), np.stack([p.y for p in problems])
    truths = [np.flatnonzero(p.support) for p in problems]
    found = [np.array([0, 4, 7]), truths[1], np.array([1, 2])]
    for place, criterion in enumerate(("evidence", "least-squares")):
        for i, (true, own) in enumerate(scores(X, y, truths, found, criterion)):
            assert true == pytest.approx(plain_scores(X[i], y[i], truths[i])[place])
            expected = plain_scores(X[i], y[i], found[i])[place] if i < 2 else np.inf
            assert own == pytest.approx(expected)


def test_a_support_of_the_wrong_size_is_judged(tmp_path):
    run([spec(["own_methods:wrong_size"])], tmp_path)
    rows = read_rows(tmp_path)
    assert not rows["exact"].any()
    assert np.isinf(rows["score_evidence"]).all()
    assert set(rows["failure"]) == {"optimisation"}
    assert rows["residual"].gt(0).all()

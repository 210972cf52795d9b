"""A bag of worlds: problems whose effects are of six kinds, for claims that should hold in all.

Nothing is shown here; other scripts draw problems from it and judge what was stated. A problem is
drawn from (root, bag, index) alone: its world, design, N, D, K and signal-to-noise ratio. Problems
before ``FRESH`` are for choosing settings; those from there on are for measuring only, and so are
the worlds and the designs of the *held-back* bag: no setting may be chosen on them. (Equicorrelated
columns were held back, too, until it was asked why probabilities were understated there; the pixels
are new.)
"""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.datasets import load_digits

from projstg._core.score.criterion import CRITERIA
from projstg.datasets import make_sparse_regression
from projstg.experiments.machine import commit

ROOT, BINS, FRESH, BLOCK = 20261201, 10, 7000, 20
SNR, ROWS = (0.3, 30.0), (20, 200)
# What is stated: the tolerance of a gap, and the fewest cases of a bin that is judged.
STATEMENTS = {"inclusion": (0.07, 200), "exactly": (0.10, 100), "all belong": (0.07, 100)}


def signs(rng, k):
    """All effects of one size."""
    return rng.choice([-1.0, 1.0], k)


def uniform(rng, k):
    """Any size up to one."""
    return rng.uniform(-1.0, 1.0, k)


def decaying(rng, k):
    """Each 0.8 times the one before."""
    return rng.choice([-1.0, 1.0], k) * 0.8 ** np.arange(k)


def two_sizes(rng, k):
    """Half of them three tenths of the others."""
    return rng.choice([-1.0, 1.0], k) * np.where(np.arange(k) < (k + 1) // 2, 1.0, 0.3)


def normal(rng, k):
    """Normal: many are too small to see."""
    return rng.standard_normal(k)


def student(rng, k):
    """Student's t with 3 degrees of freedom: a few large ones, many small."""
    return rng.standard_t(3, k)


def laplace(rng, k):
    """Between normal and Student's."""
    return rng.laplace(size=k)


def apart_from_zero(rng, k):
    """Sizes from 0.5 to 1.5."""
    return rng.choice([-1.0, 1.0], k) * rng.uniform(0.5, 1.5, k)


def dense(rng, k):
    """Some effects of one size, and beside them a small one of every column."""
    return signs(rng, k)


DESIGNS = (
    {"design": "gaussian"},
    {"design": "bernoulli"},
    {"design": "toeplitz", "rho": 0.6},
    {"design": "block", "rho": 0.5},
)
COMMON_SIZE = CRITERIA["common-size"]
BAGS = {
    "bag": ((signs, uniform, decaying, two_sizes, normal, student), DESIGNS),
    "held-back": (
        (laplace, apart_from_zero),
        ({"design": "equicorrelated", "rho": 0.4}, {"design": "pixels"}),
    ),
}
# In a dense world there are no zeros, so that only prediction can be judged as elsewhere.
EVERY_BAG = BAGS | {"dense": ((dense,), DESIGNS)}
BACKGROUND = (0.1, 0.5)  # of the signal's variance, where the world is dense


def world_of(bag, index):
    """The kind of effects of a problem; kinds come in equal shares."""
    worlds, _ = EVERY_BAG[bag]
    return worlds[index % len(worlds)]


def drawn(bag, index, least=1, most=12, n_features=None, n_new=0):
    """The name of the world and one problem, with K from ``least`` to ``most``.

    D is 24 or 64, unless it is given; of pixels it is 24 or 40. There are ``n_new`` rows more.
    """
    rng = np.random.default_rng([ROOT, list(EVERY_BAG).index(bag), index])
    world, designs = world_of(bag, index), EVERY_BAG[bag][1]
    low, high = np.log(ROWS)
    d, k = int(n_features or rng.choice([24, 64])), int(rng.integers(least, most + 1))
    amplitudes = world(rng, k)
    setting = {
        "n_samples": int(np.exp(rng.uniform(low, high))) + n_new,
        "n_features": d,
        "n_informative": k,
        **designs[rng.integers(len(designs))],
    }
    snr = float(np.exp(rng.uniform(*np.log(SNR)))) if k else None
    if setting["design"] == "pixels":
        return world.__name__, of_pixels(rng, setting["n_samples"], min(d, 40), amplitudes, snr)
    if k == 0:
        setting |= {"noise_std": 1.0}
    else:
        setting |= {"snr": snr, "signal": "given", "amplitudes": amplitudes.tolist()}
    problem = make_sparse_regression(**setting, root=ROOT, repetition=index)
    if world is dense and k:
        problem = on_background(rng, problem, snr)
    return world.__name__, problem


def on_background(rng, problem, snr):
    """The problem with a small effect of every column; its support stays that of the large ones."""
    X, share = problem.X, rng.uniform(*BACKGROUND)
    u = rng.standard_normal(X.shape[1])
    u *= np.sqrt(share / (1.0 - share)) * np.std(X @ problem.coef) / np.std(X @ u)
    coef = problem.coef + u
    noise_std = float(np.std(X @ coef) / np.sqrt(snr))
    y = X @ coef + noise_std * rng.standard_normal(len(X))
    return replace(problem, y=y, coef=coef, noise_std=noise_std)


def of_pixels(rng, n, d, amplitudes, snr):
    """A problem with the columns of a real table: pixels of handwritten digits that vary."""
    X = load_digits().data
    X = X[rng.choice(len(X), n, replace=False)]
    X = X[:, rng.choice(np.flatnonzero(np.ptp(X, axis=0)), d, replace=False)]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    columns = rng.choice(d, len(amplitudes), replace=False)
    signal = X[:, columns] @ amplitudes
    noise = 1.0 if snr is None else np.std(signal) / np.sqrt(snr)
    y = signal + noise * rng.standard_normal(n)
    coef = np.zeros(d)
    coef[columns] = amplitudes
    setting = {"design": "pixels"}
    return SimpleNamespace(X=X, y=y, coef=coef, support=coef != 0.0, setting=setting)


def weigh_common_size(weight):
    """Give effects around a common size this weight, and those around zero the rest."""
    usual = COMMON_SIZE.ridges
    shares = (np.sum(np.exp(-0.5 * cost)) for cost in (usual.zero_cost, usual.size_cost))
    with np.errstate(divide="ignore"):
        by_zero, by_size = (
            2.0 * np.log(share / np.float64(new))
            for share, new in zip(shares, (1.0 - weight, weight), strict=True)
        )
    zero, size = usual.zero_cost + by_zero, usual.size_cost + by_size
    ridges = usual._replace(zero_cost=zero, size_cost=size)
    CRITERIA["common-size"] = replace(COMMON_SIZE, ridges=ridges)


def binned(stated):
    """The bin of each probability."""
    return np.minimum((np.asarray(stated) * BINS).astype(int), BINS - 1)


def in_bins(stated, is_true):
    """[bin, how many, sum of what was stated, how many were true] for the bins of one problem."""
    where = binned(stated)
    return [
        [int(b), int(np.sum(where == b)), float(np.sum(stated[where == b])),
         int(np.sum(is_true[where == b]))]
        for b in np.unique(where)
    ]  # fmt: skip


def in_one_bin(stated, is_true):
    """The same for one statement about a problem."""
    return in_bins(np.asarray([min(stated, 1.0)]), np.asarray([is_true]))


def bin_gap(items, stated, true):
    """What was stated and observed in one bin, and the standard error of the gap between them.

    The arguments have one entry for each problem in the bin: its cases, the sum of what was stated
    and how many were true. The gap is a ratio of sums over problems: each contributes its deviation
    from it, so that the cases of one problem may depend on each other.
    """
    total, m = items.sum(), len(items)
    off = true - stated - (true.sum() - stated.sum()) / total * items
    return {
        "stated": float(stated.sum() / total),
        "observed": float(true.sum() / total),
        "error": float(np.sqrt(m / max(m - 1, 1) * np.sum(off * off)) / total),
    }


def print_table(name, lines):
    """Print what was stated and what happened, bin by bin."""
    misses = sum(line["miss"] for line in lines)
    print(f"\n  {name}: {misses} misses\n   bin  cases  stated  right  error")
    for line in lines:
        mark = " MISS" if line["miss"] else "" if line["judged"] else " (few)"
        print(
            f"   {line['bin']:.1f} {line['cases']:6} {line['stated']:7.3f} "
            f"{line['observed']:6.3f} {line['error']:6.3f}{mark}"
        )


def rows_in(path):
    """The outcomes of a file, one a line; none where there is no file yet."""
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    )


def add_outcomes(path, trial, questions, jobs):
    """Add what a function says of each question to a file, with the commit, block by block."""
    own = {"commit": str(commit())}
    with parallel_config("loky", inner_max_num_threads=1), Parallel(n_jobs=jobs) as parallel:
        for first in range(0, len(questions), BLOCK * jobs):
            block = questions[first : first + BLOCK * jobs]
            rows = parallel(delayed(trial)(*one) for one in block)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row | own) + "\n" for row in rows)
            print(f"{first + len(block)} of {len(questions)}", flush=True)


def in_parallel(trial, questions, jobs):
    """What a function of a question says of each, with one BLAS thread a process."""
    with parallel_config("loky", inner_max_num_threads=1):
        return Parallel(n_jobs=jobs)(delayed(trial)(*one) for one in questions)


def reliability(parts, name, tolerance=None):
    """A line for each bin of a statement, from lists of :func:`in_bins`, one for each problem.

    A *miss* is a gap beyond the tolerance and beyond 2.5 standard errors, clustered by problem, in
    a bin with enough cases.
    """
    usual, fewest = STATEMENTS[name]
    tolerance = usual if tolerance is None else tolerance
    rows = np.asarray([part for own in parts for part in own], dtype=float).reshape(-1, 4)
    lines = []
    for b in range(BINS):
        _, items, stated, true = rows[rows[:, 0] == b].T
        if not len(items):
            continue
        line = {"bin": b / BINS, "cases": int(items.sum()), **bin_gap(items, stated, true)}
        gap, is_judged = abs(line["observed"] - line["stated"]), bool(items.sum() >= fewest)
        miss = is_judged and gap > tolerance and gap > 2.5 * line["error"]
        lines.append(line | {"judged": is_judged, "miss": miss})
    return lines

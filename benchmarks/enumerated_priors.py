"""Which prior states what happens? All supports of small tables are scored, so only it matters.

    python benchmarks/enumerated_priors.py --jobs 2 [--problems 1000]

The problems of ``worlds.py`` for choosing settings, with D = 12 columns and K from 0 to 5, asked
with K from the data. The posterior is exact under every prior: no search, no sampling. A prior is
made of three parts:

* the effects: ``zero`` scatters them around zero, ``common`` around a common size, each with equal
  weights on its grid of ridges; ``half`` is half of each, ``most`` two thirds around a common
  size, the default;
* the columns: ``none`` has no prior of columns, only the volume of the coefficients' prior;
  ``det`` multiplies by the root of the determinant of their correlations, relative to its mean
  over the supports of the size; ``ridge`` is the default (``prior.py``): the determinant of the
  correlations that a ridge leaves, relative to its size, and a factor against repetition;
  ``alone`` is the same not relative to its size. But for ``none`` a dependent support has
  probability zero;
* the sizes: ``uniform``, or a pull to few columns: ``fewer``, in proportion to D − K + 1 (the
  beta-binomial with 1 and 2), ``third``, to (D − K + 1)(D − K + 2) (with 1 and 3, the default), or
  ``mild``, to 1/(K + 1).

For each prior: the share of exact answers, and for each statement the misses among its bins and
the largest gap in a bin of at least 100 cases (observed less stated).
"""

import argparse
from dataclasses import replace
from itertools import combinations, product
from math import comb

import numpy as np
from scipy.special import logsumexp
from worlds import BAGS, STATEMENTS, drawn, in_bins, in_one_bin, in_parallel, reliability

from projstg._core.data.standard_table import as_tables
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_spectra, total_score, undiluted_scores
from projstg._core.score.prior import log_supports, spectral_dilution

D, MOST = 12, 5
EFFECTS, COLUMNS = ("zero", "common", "half", "most"), ("none", "det", "alone", "ridge")
SIZES = ("uniform", "fewer", "third", "mild")
PRIORS = tuple(product(EFFECTS, COLUMNS, SIZES))


def judges():
    """The criterion of each kind of effects."""
    zero, common = CRITERIA["evidence"], CRITERIA["common-size"]
    alone = common.ridges._replace(
        zero_cost=np.full(21, np.inf), size_cost=np.full(21, 2.0 * np.log(21.0))
    )
    return {"zero": zero, "common": replace(common, ridges=alone)}


def scored(X, y):
    """All supports as masks, their sizes, and the log evidence with each prior of columns.

    The evidence is a dictionary from (effects, columns).
    """
    problem, most = as_tables(X[None], y[None]).problem(0), min(D, len(y) - 3)
    masks, found = [], {(effects, columns): [] for effects in judges() for columns in COLUMNS}
    for k in range(most + 1):
        supports = np.asarray(list(combinations(range(D), k)), dtype=np.int64).reshape(
            comb(D, k), k
        )
        spectra, n = support_spectra(problem, supports), problem.n
        is_dependent = np.any(spectra.values == 0.0, axis=-1)
        values = np.where(spectra.values == 0.0, 1.0, spectra.values / n)
        det = np.where(is_dependent, -np.inf, np.sum(np.log(values), axis=-1))
        repeated = np.where(is_dependent, np.inf, spectral_dilution(spectra.values, n))
        for effects, judge in judges().items():
            bound, kappa = judge.judge(problem), judge.ridges.kappa
            volume = bound.volume(k)
            by_ridge = undiluted_scores(spectra, volume, problem.yy, problem.dof, bound)
            found[effects, "ridge"].append(-0.5 * (total_score(by_ridge) + repeated))
            without = by_ridge - volume
            alone = total_score(without + k * np.log1p(n / kappa))
            found[effects, "alone"].append(-0.5 * (alone + repeated))
            log_det = np.sum(np.log1p(spectra.values[:, None, :] / kappa[:, None]), axis=-1)
            found[effects, "none"].append(-0.5 * total_score(without + log_det))
            relative = 0.5 * det - logsumexp(0.5 * det) + np.log(len(supports))
            found[effects, "det"].append(found[effects, "none"][-1] + relative)
        mask = np.zeros((len(supports), D), dtype=bool)
        np.put_along_axis(mask, supports, True, axis=1)
        masks.append(mask)
    evidence = {kind: np.concatenate(parts) for kind, parts in found.items()}
    for mixed, weight in (("half", 0.5), ("most", 2.0 / 3.0)):
        for columns in COLUMNS:
            zero = np.log(1.0 - weight) + evidence["zero", columns]
            sized = np.log(weight) + evidence["common", columns]
            evidence[mixed, columns] = np.logaddexp(zero, sized)
    masks = np.concatenate(masks)
    return masks, masks.sum(axis=1), evidence


def log_prior(size, sizes):
    """The logarithm of the prior of each support but for its columns, up to a constant."""
    left = D - size + 1.0
    pull = {"uniform": 0.0, "fewer": -np.log(left), "third": -np.log(left * (left + 1.0))}
    pull["mild"] = np.log(size + 1.0)
    return -log_supports(D, size) - pull[sizes]


def trial(bag, index):
    """What is stated under each prior, in bins, and what was true."""
    _, problem = drawn(bag, index, least=0, most=MOST, n_features=D)
    truth = problem.support
    masks, size, evidence = scored(problem.X, problem.y)
    found = []
    for effects, columns, sizes in PRIORS:
        log_mass = evidence[effects, columns] + log_prior(size, sizes)
        share = np.exp(log_mass - logsumexp(log_mass))
        chosen = masks[np.argmax(share)]
        belongs = share[np.all(masks[:, chosen], axis=1)].sum()
        found.append(
            {
                "right": bool(np.array_equal(chosen, truth)),
                "inclusion": in_bins(share @ masks, truth),
                "exactly": in_one_bin(share.max(), np.array_equal(chosen, truth)),
                "all belong": in_one_bin(belongs, not np.any(chosen & ~truth)),
            }
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000, help="of each bag")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    for bag in BAGS:
        questions = [(bag, index) for index in range(options.problems)]
        trials = in_parallel(trial, questions, options.jobs)
        print(f"\n{bag}, {options.problems} problems")
        print("effects  columns  sizes    right   " + "   ".join(f"{n:>15}" for n in STATEMENTS))
        for i, (effects, columns, sizes) in enumerate(PRIORS):
            own = [one[i] for one in trials]
            cells = []
            for name in STATEMENTS:
                lines = reliability([one[name] for one in own], name)
                judged = [e["observed"] - e["stated"] for e in lines if e["cases"] >= 100]
                worst = max(judged, key=abs, default=float("nan"))
                cells.append(f"{sum(e['miss'] for e in lines):2} misses {worst:+.2f}")
            right = np.mean([one["right"] for one in own])
            print(f"{effects:7}  {columns:7}  {sizes:7}  {right:.3f}   " + "   ".join(cells))


if __name__ == "__main__":
    main()

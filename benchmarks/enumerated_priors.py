"""Which prior states what happens? All supports of small tables are scored, so only it matters.

    python benchmarks/enumerated_priors.py --jobs 2 [--problems 2000]

Problems of ``worlds.py`` with D = 12 columns and K from 0 to 5, asked with K from the data. The
posterior is exact under every prior: no search, no sampling. A prior is made of three parts:

* the effects: ``zero`` scatters them around zero, ``common`` around a common size, each with equal
  weights on its grid of ridges; ``half`` is half of each;
* ``|R|``: whether supports are diluted, multiplied by the root of the determinant of their
  correlations; a dependent support then has probability zero;
* the sizes: ``uniform``, or a pull to few columns: ``fewer``, in proportion to D − K + 1 (the
  beta-binomial with 1 and 2, the default where D = 12), ``third``, to (D − K + 1)(D − K + 2) (with
  1 and 3), or ``mild``, to 1/(K + 1).

For each prior: the share of exact answers, and for each statement the misses among its bins and
the largest gap in a bin of at least 100 cases (observed less stated).
"""

import argparse
from itertools import combinations, product
from math import comb

import numpy as np
from scipy.special import logsumexp
from worlds import BAGS, STATEMENTS, drawn, in_bins, in_one_bin, in_parallel, reliability

from projstg._core.data.determined_directions import SMALLEST_SHARE
from projstg._core.data.standard_table import as_table
from projstg._core.score.criterion import CRITERIA, scores_by_ridge, support_spectra, total_score
from projstg._core.score.prior import log_chance_dilution, log_supports

D, MOST = 12, 5
EFFECTS, SIZES = ("zero", "common", "half"), ("uniform", "fewer", "third", "mild")
PRIORS = tuple(product(EFFECTS, (False, True), SIZES))


def scored(X, y):
    """All supports as masks, log evidence by kind of effects, log determinant, and sizes."""
    table = as_table(X[None], y[None])
    problem, most = table.problem, min(D, len(y) - 3)
    correlations = np.corrcoef(X, rowvar=False)
    masks, evidence, dets = [], {"zero": [], "common": []}, []
    zero, common = CRITERIA["evidence"], CRITERIA["common-size"]
    alone = common.ridges._replace(
        zero_cost=np.full(21, np.inf), size_cost=np.full(21, 2.0 * np.log(21.0))
    )
    kinds = {"zero": zero, "common": common._replace(ridges=alone)}
    for k in range(most + 1):
        supports = np.asarray(list(combinations(range(D), k)), dtype=np.int64).reshape(
            comb(D, k), k
        )
        spectra = support_spectra(problem, supports[None])
        shape = (1, len(supports))
        numbers = (problem.yy, problem.degrees_of_freedom, problem.n)
        yy, dof, n = (np.broadcast_to(one, shape) for one in numbers)
        for kind, criterion in kinds.items():
            judge = criterion._replace(is_diluted=False)
            scores = scores_by_ridge(spectra, yy, dof, n, judge)[0]
            evidence[kind].append(-0.5 * total_score(scores))
        own = correlations[supports[:, :, None], supports[:, None, :]]
        values = np.linalg.eigvalsh(own) if k else np.ones((1, 1))
        is_dependent = values[:, 0] <= SMALLEST_SHARE * values[:, -1]
        dets.append(
            np.where(is_dependent, -np.inf, np.sum(np.log(np.maximum(values, 1e-300)), axis=1))
        )
        mask = np.zeros((len(supports), D), dtype=bool)
        np.put_along_axis(mask, supports, True, axis=1)
        masks.append(mask)
    evidence = {kind: np.concatenate(parts) for kind, parts in evidence.items()}
    evidence["half"] = np.logaddexp(evidence["zero"], evidence["common"]) - np.log(2.0)
    masks = np.concatenate(masks)
    return masks, evidence, np.concatenate(dets), masks.sum(axis=1)


def log_prior(det, size, is_diluted, sizes, dof):
    """The logarithm of the prior of each support, up to a constant."""
    choices = log_supports(D, size)
    left = D - size + 1.0
    pull = {"uniform": 0.0, "fewer": -np.log(left), "third": -np.log(left * (left + 1.0))}
    pull["mild"] = np.log(size + 1.0)
    dilution = 0.5 * det - log_chance_dilution(dof, size) if is_diluted else 0.0
    return -choices - pull[sizes] + dilution


def trial(bag, index):
    """What is stated under each prior, in bins, and what was true."""
    _, problem = drawn(bag, index, least=0, most=MOST, n_features=D)
    truth = problem.support
    masks, evidence, det, size = scored(problem.X, problem.y)
    found = []
    for effects, is_diluted, sizes in PRIORS:
        log_mass = evidence[effects] + log_prior(det, size, is_diluted, sizes, len(problem.y) - 1.0)
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
    parser.add_argument("--problems", type=int, default=2000, help="of each bag")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    for bag in BAGS:
        questions = [(bag, index) for index in range(options.problems)]
        trials = in_parallel(trial, questions, options.jobs)
        print(f"\n{bag}, {options.problems} problems")
        print("effects  |R|   sizes    right   " + "   ".join(f"{n:>18}" for n in STATEMENTS))
        for i, (effects, is_diluted, sizes) in enumerate(PRIORS):
            own = [one[i] for one in trials]
            cells = []
            for name in STATEMENTS:
                lines = reliability([one[name] for one in own], name)
                judged = [e["observed"] - e["stated"] for e in lines if e["cases"] >= 100]
                worst = max(judged, key=abs, default=float("nan"))
                cells.append(f"{sum(e['miss'] for e in lines):2} misses {worst:+.2f}")
            right = np.mean([one["right"] for one in own])
            mark = "yes" if is_diluted else "no "
            print(f"{effects:7}  {mark}   {sizes:7}  {right:.3f}   " + "   ".join(cells))


if __name__ == "__main__":
    main()

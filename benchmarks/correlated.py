"""Adjacent columns of one sign under correlation: a design on which the lasso is hard to beat.

    python benchmarks/correlated.py --jobs 2 --json docs/correlated.json
    python benchmarks/correlated.py --json docs/correlated.json --draw docs/correlated.png

The second command prints the tables and draws the figure from the file alone.

Hastie, Tibshirani and Tibshirani's beta-type 2: n = 100, p = 1000, the first five coefficients 1,
the others 0, Cov(x_l, x_m) = ρ^|l−m|; ρ = 0.35 with a signal-to-noise ratio of 2.07, and ρ = 0.7
with 6. The ratio is that of the signal drawn. No method fits an intercept, all see the same draws.

A failure is *statistical* if the returned support scores at least as well as the truth under the
method's own score. It is a failure of the *search* if the truth scores better and was not found.
The lasso has no score of supports, and its failures are not split.

    relaxed lasso   λ and the share φ of the lasso in φ·lasso + (1−φ)·refit, by five folds
    lasso path, any whether one of its points has exactly the true columns: no rule chooses it
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.linear_model import LassoCV, lars_path, lasso_path
from sklearn.model_selection import KFold

from projstg import ProjectedSTG
from projstg._core.data.standard_table import as_tables
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.prior import log_supports, size_prior
from projstg.datasets import make_sparse_regression
from projstg.experiments.library_adapters import AbessSelector, LassoPath, _path_supports
from projstg.experiments.machine import about_machine, commit, now
from projstg.render.palette import BLUE, ORANGE, OTHER, VERMILION

ROOT, N, D, K = 20261119, 100, 1000, 5
SETTINGS = [(0.35, 2.07), (0.7, 6.0)]
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def relaxed(X, y, alphas):
    """Coefficients (points, shares, D) along the path, from the refit (φ = 0) to the lasso."""
    _, path, _ = lasso_path(X, y, alphas=alphas, max_iter=10_000)
    points = []
    for lasso in path.T:
        refit, support = np.zeros_like(lasso), lasso != 0.0
        refit[support] = np.linalg.lstsq(X[:, support], y)[0] if support.any() else 0.0
        points.append([phi * lasso + (1.0 - phi) * refit for phi in SHARES])
    return np.asarray(points)


def relaxed_lasso_cv(X, y, least=0.05):
    """The support of the relaxed lasso: φ, and λ down to ``least`` of the highest, by folds."""
    highest = np.max(np.abs(X.T @ y)) / len(y)
    alphas = highest * np.geomspace(1.0, least, 50)
    errors = np.zeros((alphas.size, len(SHARES)))
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        fitted = relaxed(X[train], y[train], alphas)
        errors += np.sum((y[test] - fitted @ X[test].T) ** 2, axis=-1)
    point = np.unravel_index(np.argmin(errors), errors.shape)[0]
    return lasso_path(X, y, alphas=alphas[: point + 1], max_iter=10_000)[1][:, -1] != 0.0


def path_supports(X, y):
    """All supports of five columns on the exact path, columns at mean square one."""
    X = X / np.sqrt(np.mean(X * X, axis=0))
    return _path_supports(lars_path(X, y, method="lasso")[2], K)


def abess_ebic(X, y):
    from abess import LinearRegression

    return LinearRegression(fit_intercept=False).fit(X, y).coef_ != 0.0


def lasso_cv(X, y):
    return LassoCV(cv=5, fit_intercept=False, max_iter=10_000).fit(X, y).coef_ != 0.0


# Name → the method, told K or not, and the score that tells its failures apart.
OURS = {
    f"{'auto' if k == 'auto' else 'K = 5'}, {criterion}": (k, criterion)
    for k in (K, "auto")
    for criterion in (CRITERIA if k == K else ("common-size", "evidence"))
}
PEERS = {
    "K = 5, abess": (lambda X, y: AbessSelector(K).fit(X, y).support_, "least-squares"),
    "K = 5, lasso path, first": (lambda X, y: LassoPath(K).fit(X, y).support_, None),
    "K = 5, lasso path, best refit": (lambda X, y: LassoPath(K, "refit").fit(X, y).support_, None),
    "auto, abess EBIC": (abess_ebic, None),
    "auto, relaxed lasso": (relaxed_lasso_cv, None),
    "auto, LassoCV": (lasso_cv, None),
}


def trial(rho, snr, repetition):
    """What every method found on one draw, and how it and the truth score."""
    warnings.simplefilter("ignore")  # lasso paths that stop early are judged by what they return
    problem = make_sparse_regression(
        N, D, K, design="toeplitz", rho=rho, signal="ones", positions="first", snr=snr,
        root=ROOT, repetition=repetition,
    )  # fmt: skip
    X, y = problem.X, problem.y
    found, stated = {}, {}
    for name, (size, criterion) in OURS.items():
        model = ProjectedSTG(size, criterion=criterion, fit_intercept=False).fit(X, y)
        found[name], stated[name] = model.support_, round(model.support_probability_, 4)
    found |= {name: np.ravel(method(X, y)) for name, (method, _) in PEERS.items()}
    path = path_supports(X, y)
    others = [np.flatnonzero(s) for s in (*found.values(), *path) if np.sum(s) == K]
    return {
        "rho": rho,
        "snr": snr,
        "found": {name: np.flatnonzero(support).tolist() for name, support in found.items()},
        "stated": stated,
        "failure": failures(X, y, found, np.flatnonzero(problem.support)),
        "on_path": any(np.array_equal(support, problem.support) for support in path),
        "truth_is_best": truth_is_best(X, y, np.flatnonzero(problem.support), others),
    }


def log_prior(size):
    """The log prior of a support of so many columns, apart from that of its columns."""
    choices = log_supports(D, np.asarray([float(size)]))[0]
    return size_prior(0, N - 2, D)[size] - choices


def scored(X, y, supports, criterion, prior=0.0):
    """The scores of supports of one size, lower is better; of several sizes with their prior."""
    problem = as_tables(X[None], y[None], centre=False).problem(0)
    return support_scores(problem, np.asarray(supports), CRITERIA[criterion]) - 2.0 * prior


def failures(X, y, found, truth):
    """How each method failed: "none", "statistical", "search", or None where there is no score."""
    judges = {name: criterion for name, (_, criterion) in (OURS | PEERS).items()}
    kinds = {}
    for name, mask in found.items():
        support = np.flatnonzero(mask)
        if np.array_equal(support, truth):
            kinds[name] = "none"
        elif judges[name] is None:
            kinds[name] = None
        else:
            both = [scored(X, y, [s], judges[name], log_prior(len(s)))[0] for s in (truth, support)]
            kinds[name] = "search" if both[0] < both[1] - 1e-9 * abs(both[1]) else "statistical"
    return kinds


def truth_is_best(X, y, truth, others):
    """For each score, whether no support of five columns found by any method beats the truth."""
    best = {}
    for criterion in CRITERIA:
        true, *rest = scored(X, y, [truth, *others], criterion)
        best[criterion] = bool(np.all(true <= np.asarray(rest) + 1e-9 * abs(true)))
    return best


def run(path, repetitions, jobs):
    tasks = [(*setting, r) for setting in SETTINGS for r in range(repetitions)]
    with parallel_config("loky", inner_max_num_threads=1):
        draws = Parallel(n_jobs=jobs)(delayed(trial)(*task) for task in tasks)
    found = {"root": ROOT, "repetitions": repetitions, "draws": draws}
    found |= {"commit": commit(), "time": now(), **about_machine()}
    if path:
        path.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
    return found


def shares(draws, name):
    """The shares of exact, statistical and search failures and of those not split."""
    kinds = [draw["failure"][name] for draw in draws]
    return [kinds.count(kind) / len(kinds) for kind in ("none", "statistical", "search", None)]


def tables(found):
    print(f"{found['repetitions']} draws, commit {found['commit']}, {found['time']}")
    for rho, snr in SETTINGS:
        draws = [draw for draw in found["draws"] if draw["rho"] == rho]
        print(f"\nρ = {rho:g}, SNR {snr:g}\n")
        print("| | exact | statistical | search | none false | true columns | size | stated |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for name in draws[0]["found"]:
            print(line(draws, name))
        share = np.mean([draw["on_path"] for draw in draws])
        print(f"| lasso path, any | {share:.2f} |  |  |  |  |  |  |")
        for criterion in CRITERIA:
            share = np.mean([draw["truth_is_best"][criterion] for draw in draws])
            print(f"\nNo five columns found by any method score better, {criterion}: {share:.2f}")


def line(draws, name):
    exact, statistical, search, _ = shares(draws, name)
    supports = [draw["found"][name] for draw in draws]
    n_true = np.asarray([sum(column < K for column in support) for support in supports])
    size = np.asarray([len(support) for support in supports])
    is_split = (OURS | PEERS)[name][1] is not None
    split = [f"{statistical:.2f}", f"{search:.2f}"] if is_split else ["", ""]
    stated = [draw["stated"].get(name) for draw in draws]
    cells = [name, f"{exact:.2f}", *split, f"{np.mean(n_true == size):.2f}"]
    cells += [f"{n_true.mean():.1f}", f"{size.mean():.1f}"]
    return f"| {' | '.join([*cells, '' if stated[0] is None else f'{np.mean(stated):.2f}'])} |"


COLOURS = {"exact": BLUE, "statistical failure": ORANGE, "failure of the search": VERMILION,
           "failure, not split": OTHER}  # fmt: skip


def draw(found, target):
    """Stacked shares, a panel for each setting."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.6), sharey=True, layout="constrained")
    for axis, (rho, snr) in zip(axes, SETTINGS, strict=True):
        draws = [draw for draw in found["draws"] if draw["rho"] == rho]
        on_path = np.mean([draw["on_path"] for draw in draws])
        bars = {name: shares(draws, name) for name in draws[0]["found"]}
        bars["lasso path, any"] = [on_path, 0.0, 0.0, 1.0 - on_path]
        left = np.zeros(len(bars))
        for (label, colour), widths in zip(
            COLOURS.items(), np.asarray(list(bars.values())).T, strict=True
        ):
            axis.barh(list(bars), widths, left=left, color=colour, label=label, height=0.75)
            left += widths
        axis.set_title(f"ρ = {rho:g}, SNR {snr:g}, {len(draws)} draws", fontsize=10)
        axis.set_xlim(0, 1)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=9)
    figure.supxlabel("share of draws", fontsize=10)
    figure.savefig(target, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=50)
    parser.add_argument("--json", type=Path, help="where the outcomes are written, and read again")
    parser.add_argument("--draw", type=Path, help="only read the file, print, and draw this figure")
    options = parser.parse_args()
    if options.draw:
        found = json.loads(options.json.read_text("utf-8"))
        draw(found, options.draw)
    else:
        found = run(options.json, options.repetitions, options.jobs)
    tables(found)


if __name__ == "__main__":
    main()

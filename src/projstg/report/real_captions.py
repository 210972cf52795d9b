"""The texts about measured tables: what counts as the truth, and so what the figures measure."""

from __future__ import annotations

from .figure_specs import FigureSpec

__all__ = ["REAL_ENTRIES"]

_NO_TRUTH = (
    "Neither table has a linear support that its data single out. Of AILERON's 40 inputs seven "
    "pairs have a correlation above 0.9999, and the rank is 39; of the 60 of TRIAZINES two are "
    "constant, seven are copies in three groups, and the rank is 45. Fewer rows leave less: 200 of "
    "AILERON about 26 columns that are neither constant nor copies, with 21 pairs whose "
    "correlation is above 0.99, and 120 of TRIAZINES about 52, of rank about 41, of which 30 are "
    "exact combinations of others. Several supports then fit equally well or nearly so, and TPR "
    "and FDR need a truth that somebody defines."
)
_BANDS = "Bands are 90 % bootstrap intervals, as in the paper."
_ROWS = (
    "A trial draws rows at random, drops the columns that are constant or duplicate in them (each "
    "row of the results says how many), and puts the rest at mean zero and variance one."
)
_ONE_CURVE = (
    "Where exactly K columns are returned and K are true, FDR = 1 − TPR, so the panels “exactly K” "
    "of the two figures mirror each other. The panels “own size” have methods that are not told K, "
    "and there the two are different questions: how much is found, and how much of what is found "
    "is wrong."
)
_PLANTED = (
    "The paper does not say what the true columns of a real table are. Here they are planted: "
    "coefficients ±1 on random columns of the real X, with noise at Var(Xβ*)/σ² = 5. They are all "
    "of one size, as in the paper's simulations, which is what “Proj-STG, refined” expects; "
    "“refined by residual” expects nothing of them."
)
_LEFT_OUT = (
    "Algorithm 1 with sampled gates takes longer here than all other methods together and is drawn "
    "only where it was asked for; “Proj-STG, exact” is its limit for many samples. Its C is the "
    "package's default: a table has no pilot problems to choose it on."
)
_SIZES = (
    "“Proj-STG, own K” takes the size of the likeliest support, “open gates” all columns whose "
    "gate is open, the LASSO the λ of least cross-validated error or of least BIC (told σ), OMP "
    "the size of least cross-validated error, abess that of least extended BIC."
)
_NAMED = ("design", "options", "n_samples", "snr", "size_rule")
_MEASURED = ("design", "options", "n_samples", "size_rule")

REAL_ENTRIES = (
    FigureSpec(
        "real_fdr",
        "False discovery rate on real tables, planted coefficients",
        "False discovery rate against the sparsity level K on rows of AILERON and TRIAZINES "
        "(lower is better), coefficients planted on K columns; “exactly K” has the methods that "
        "are told K, “own size” those that choose their own number of columns. "
        f"{_BANDS} {_NO_TRUTH}",
        "Figure 6",
        views=("n_informative",),
        metric="fdr",
        named=_NAMED,
        departures=(_PLANTED, _ROWS, _ONE_CURVE, _SIZES, _LEFT_OUT),
    ),
    FigureSpec(
        "real_tpr",
        "True positive rate on real tables, planted coefficients",
        "True positive rate against the sparsity level K in the trials of the figure before "
        f"(higher is better). {_BANDS} {_ONE_CURVE}",
        "Figure 7",
        views=("n_informative",),
        metric="tpr",
        trials_of="real_fdr",
        named=_NAMED,
        departures=(_PLANTED, _ROWS, _SIZES, _LEFT_OUT),
    ),
    FigureSpec(
        "real_nuisance",
        "False discoveries among shuffled columns",
        "Share of shuffled columns among those selected, on the measured response. To the columns "
        "of AILERON and TRIAZINES the same columns are added with their rows in another order, all "
        "in the same one: correlated like the originals and unrelated to y. An original "
        "counts as true, whichever it is. K is how many columns are asked for; methods of "
        "their own size do not know it, and their curves are level but for chance.",
        views=("n_informative",),
        metric="fdr",
        named=_MEASURED,
        departures=(
            "Not in the paper. It needs no support to be true and says nothing about which "
            "originals are right; TPR is K(1 − FDR) over the number of originals.",
            "A method that selects nothing makes no false discovery.",
            _ROWS,
            _SIZES,
        ),
    ),
    FigureSpec(
        "real_consensus",
        "True positive rate against a consensus",
        "Share found of the K columns that resampling the whole table agrees on, from few rows and "
        "with the measured response. The consensus is made of the K columns that least-squares "
        "best subsets on 25 random halves of all rows choose most often. On AILERON a column of "
        "the consensus is chosen in 100 % of the halves at K = 1 and in 77 % at K = 15, on "
        "TRIAZINES in 36 % and 57 %: the halves of TRIAZINES hardly agree with each other, so "
        "there is little for anybody to agree with.",
        views=("n_informative",),
        metric="tpr",
        named=_MEASURED,
        departures=(
            "Not in the paper. Best subsets by least squares are found by this package's search, "
            "not by the evidence, which some of the methods compared follow.",
            _ROWS,
            _ONE_CURVE,
            _SIZES,
        ),
    ),
    FigureSpec(
        "real_consensus_fdr",
        "False discovery rate against a consensus",
        "Share of columns outside the consensus among those selected, in the trials of the figure "
        "before.",
        views=("n_informative",),
        metric="fdr",
        trials_of="real_consensus",
        named=_MEASURED,
        departures=(_ONE_CURVE, _SIZES),
    ),
    FigureSpec(
        "real_prediction",
        "Prediction of the measured response from K columns",
        "Median R² on rows held out against K, with the 90 % interval of the median: columns are "
        "chosen and refitted by least squares on a random half of all rows, and the other half is "
        "predicted. This needs no truth, and it is "
        "what a user of real data can see. Supports that share few columns can predict equally "
        "well: the data do not single out one support.",
        views=("n_informative",),
        metric="r2",
        named=("design", "n_samples"),
        departures=(
            "Not in the paper. The tables do not mark the original split of AILERON into training "
            "and test rows, so halves are drawn at random.",
            "The median, because one half in which two selected columns are almost equal makes the "
            "mean meaningless: with 8 columns of TRIAZINES R² can fall below −1000.",
        ),
    ),
)
"""In the paper's order, then what stands beside its figures."""

"""Draw docs/why_noise_helps.png from the rows of why_noise_helps.py.

python benchmarks/plot_why_noise_helps.py docs/why_noise_helps.json docs/why_noise_helps.png
"""

import argparse
import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from projstg.render.palette import BLUE, GREEN, ORANGE, ROSE, SKY, VERMILION

GROUPS = {
    "Adam, expectation sampled in": (BLUE, {
        "M and L (the paper)": "Q, q and gradient (the paper)",
        "M only (Q and q)": "Q and q only",
        "q only": "q only",
        "Q only": "Q only",
        "L only (gradient)": "gradient only",
        "M, judged on the same draws": "all, but the same draws twice",
    }),
    "Adam, all sampled, M = L =": (SKY, {
        "M = L = 4": "4", "M = L = 8": "8", "M = L = 50": "50", "M = L = 200": "200",
    }),
    "Adam, nothing sampled": (VERMILION, {
        "nothing (M, L → ∞)": "steps of 1e-3 (M, L → ∞)",
        "nothing, step 1e-2 × 400": "steps of 1e-2",
    }),
    "Adam, white noise added to the exact gradient": (ORANGE, {
        "white noise on ∇, size 1": "as large as the gradient",
        "white noise on ∇, size 3": "three times as large",
    }),
    "One step size for all gates": (GREEN, {
        "nothing, one step size for all": "nothing sampled",
        "M and L, one step size for all": "all sampled",
    }),
    "Alternation, nothing sampled": (ROSE, {
        "alternation": "plain",
        "alternation after six such steps": "after six common steps (the default)",
        "alternation from gates of τ = 8": "from gates of τ = 8",
    }),
}  # fmt: skip


def places():
    """(position, group, colour, variant, label) from the top down."""
    at = 0.0
    for group, (colour, variants) in GROUPS.items():
        at += 1.4
        for variant, label in variants.items():
            yield at, group, colour, variant, label
            at += 1.0


def draw(source, target):
    with open(source, encoding="utf-8") as file:
        rows = json.load(file)
    cells = sorted({(row["sigma"], row["n"], row["c"]) for row in rows})
    rate = {(row["sigma"], row["n"], row["variant"]): row["rate"] for row in rows}
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 7.6), sharey=True, layout="constrained")
    bars = list(places())
    for axis, (sigma, n, c) in zip(axes, cells, strict=True):
        heights = np.asarray([rate[sigma, n, variant] for *_, variant, _ in bars])
        error = 1.645 * np.sqrt(heights * (1 - heights) / 400)
        y = [at for at, *_ in bars]
        axis.barh(y, heights, xerr=error, color=[colour for _, _, colour, *_ in bars],
                  height=0.8, error_kw={"elinewidth": 1, "ecolor": "0.25"})  # fmt: skip
        for at, height, half in zip(y, heights, error, strict=True):
            axis.text(height + half + 0.015, at, f"{height:.2f}", va="center", fontsize=8)
        axis.set_title(f"σ = {sigma:g}, N = {n}, C = {c:g}", fontsize=10)
        axis.set_xlim(0, 1)
        axis.set_xlabel("exact recovery, 400 problems, 90 % interval")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks([at for at, *_ in bars], [label for *_, label in bars], fontsize=8.5)
    for group, (_, variants) in GROUPS.items():
        first = next(at for at, _, _, variant, _ in bars if variant in variants)
        axes[0].text(0.01, first - 0.72, group, color="0.1", fontsize=8.5, weight="bold",
                     va="center")  # fmt: skip
    axes[0].invert_yaxis()
    figure.savefig(target, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", help="the rows")
    parser.add_argument("target", help="the picture to write")
    options = parser.parse_args()
    draw(options.source, options.target)


if __name__ == "__main__":
    main()

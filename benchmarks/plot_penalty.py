"""Draw docs/penalty.png: the penalty of the gates and its rule beside lasso, SCAD and MCP.

python benchmarks/plot_penalty.py docs/penalty.png
"""

import sys

import matplotlib

matplotlib.use("Agg")

from projstg.plots import plot_penalty

if __name__ == "__main__":
    penalty, _ = plot_penalty(0.5)
    penalty.figure.savefig(sys.argv[1], dpi=130)

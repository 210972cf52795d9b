"""Draw docs/penalty.png: the penalty of the gates and its rule beside lasso, SCAD and MCP.

python benchmarks/plot_penalty.py docs/penalty.png
"""

import argparse

import matplotlib

matplotlib.use("Agg")

from projstg.plots import plot_penalty


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", help="the picture to write")
    penalty, _ = plot_penalty(0.5)
    penalty.figure.savefig(parser.parse_args().target, dpi=130)


if __name__ == "__main__":
    main()

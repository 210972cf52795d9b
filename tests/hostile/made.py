"""Tables in which the last column is 2·a − b and a little noise, as text to be spoiled."""

import numpy as np

N = 40


def rows_of(n_columns=4, n_rows=N):
    """Numbers in which the last column is 2·first − second and a little noise."""
    X = np.random.default_rng(8).normal(size=(n_rows, n_columns)).round(3)
    noise = np.random.default_rng(9).normal(size=n_rows)
    return np.column_stack([X, (2 * X[:, 0] - X[:, 1] + 0.01 * noise).round(4)])


def text_of(values, names=("a", "b", "c", "d", "y"), delimiter=",", decimal="."):
    lines = [delimiter.join(names)]
    lines += [delimiter.join(str(v).replace(".", decimal) for v in row) for row in values]
    return "\n".join(lines) + "\n"


def with_cell(value, row=3, column=2):
    cells = rows_of().astype(object)
    cells[row, column] = value
    return text_of(cells)


def with_column(values, name):
    cells = np.column_stack([values, rows_of().astype(object)])
    return text_of(cells, (name, *"abcdy"))


PLAIN = text_of(rows_of())
EVIL = '"><script>alert("1")</script><img src=x onerror=alert(2)>'
QUESTION = ["-t", "y", "-k", "2", "--folds", "0"]

"""Tables to ask, and a way to write one."""

import pytest
from sklearn.datasets import load_diabetes

pd = pytest.importorskip("pandas")


@pytest.fixture
def frame(rng):
    """Columns a to h and y = 3 + 2b − f and a little noise."""
    X = rng.normal(size=(60, 8))
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    return frame.assign(y=3.0 + 2.0 * X[:, 1] - 0.01 * X[:, 5] * 100 + 0.1 * rng.normal(size=60))


@pytest.fixture
def diabetes():
    return load_diabetes(as_frame=True, scaled=False).frame


@pytest.fixture
def written(tmp_path):
    """Write a file and return its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write

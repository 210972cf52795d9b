"""What scripts on real tables share: the other methods, and least squares on what was chosen."""

import numpy as np
from abess import LinearRegression
from sklearn.linear_model import LassoCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def lasso(cv=5):
    """LassoCV on standardised columns."""
    return make_pipeline(StandardScaler(), LassoCV(cv=cv, max_iter=20_000))


def abess(criterion, shape):
    """The model of abess with the size by a criterion, up to all columns or half the rows.

    Its own range of sizes leaves out the last, so that it never chooses all columns.
    """
    n_rows, n_columns = shape
    sizes = range(min(n_columns, n_rows // 2) + 1)
    return LinearRegression(support_size=sizes, ic_type=criterion)


def fitted(X, y, support):
    """Coefficients, intercept and R² of least squares on a support."""
    part, mean = X[:, support], X[:, support].mean(axis=0)
    beta = np.linalg.lstsq(part - mean, y - y.mean())[0]
    intercept = y.mean() - mean @ beta
    rest = y - part @ beta - intercept
    return beta, intercept, 1.0 - rest @ rest / np.sum((y - y.mean()) ** 2)


def squared_error(X, y, X_test, y_test, support):
    """Σ(y − ŷ)² on other rows by least squares on a support."""
    beta, intercept, _ = fitted(X, y, support)
    rest = y_test - X_test[:, support] @ beta - intercept
    return float(rest @ rest)


def judged(X, y, X_test, y_test, support):
    """R² on other rows by least squares on a support; the mean is that of the first rows."""
    error = squared_error(X, y, X_test, y_test, support)
    return 1.0 - error / np.sum((y_test - y.mean()) ** 2)

"""An answer as a fitted pipeline of scikit-learn, which takes data frames."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline

from ..prepare.recipe import Recipe, part_of
from ..prepare.recipe_columns import made_rows, whole_table
from ..words.notes import TableError

__all__ = ["RecipeColumns", "fitted_pipeline"]


class RecipeColumns(TransformerMixin, BaseEstimator):
    """Make columns of numbers of a table, as ``select`` made them.

    There is nothing to learn: the recipe has the levels of text, and what stands for a missing
    value.

    Parameters
    ----------
    recipe : dict
        That of a :class:`.Selection`.
    columns : list of str
        The columns of numbers to make.

    Examples
    --------
    >>> import pandas
    >>> from projstg.tables.prepare.recipe import made_column, recipe_of
    >>> made = [made_column("sex=m", "sex", "m")]
    >>> recipe = recipe_of(made, {"sex": ["f", "m"]}, None, gaps={}, shares={})
    >>> RecipeColumns(recipe, ["sex=m"]).transform(pandas.DataFrame({"sex": ["m", "f"]}))
    array([[1.],
           [0.]])
    """

    def __init__(self, recipe: Recipe, columns: Sequence[str]) -> None:
        self.recipe = recipe
        self.columns = columns

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> RecipeColumns:
        """Check that the columns can be made."""
        self.transform(X)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the columns of numbers, (N, M); raise where a row has no number.

        Parameters
        ----------
        X : DataFrame, path or array
        """
        made = made_rows(whole_table(X, self.recipe), self.recipe, self.columns)
        trouble = made.trouble()
        if trouble:
            raise TableError(trouble)
        for line in made.remarks():
            warnings.warn(line, stacklevel=2)
        return made.X

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of numbers."""
        return np.array(self.columns, dtype=object)


def fitted_pipeline(
    recipe: Recipe, columns: Sequence[str], coefficients: Sequence[float], intercept: float
) -> Pipeline:
    """Return a pipeline that predicts by these coefficients of these columns of numbers."""
    if columns:
        regression: Any = LinearRegression()
        regression.coef_ = np.array(coefficients, dtype=np.float64)
        regression.intercept_, regression.n_features_in_ = intercept, len(columns)
    else:  # which no linear regression takes
        regression = DummyRegressor().fit(np.zeros((1, 1)), [intercept])
    own = RecipeColumns(part_of(recipe, columns), columns)
    return Pipeline([("columns", own), ("regression", regression)])

"""The one door through which scikit-learn's less public helpers come in."""

from sklearn.externals.array_api_compat import array_namespace

__all__ = ["array_namespace"]

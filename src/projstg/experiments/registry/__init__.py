"""The methods that experiments compare: those of the package, and those from outside.

A method is a name and a factory: given what a method may know about a problem (:class:`Known`), the
factory returns an object with ``fit(X, y)`` and ``get_support()``. A method of one's own is one
function in a file,

    from sklearn.feature_selection import SelectKBest, f_regression

    def marginal(known):
        return SelectKBest(f_regression, k=known.n_features_to_select)

named ``"theirs:marginal"`` where a method is asked for, or registered by a package with an entry
point of the group ``projstg.methods``. No library is imported before a method is made.
"""

from .find_method import GROUP, available, method, method_names
from .method_record import Known, Method
from .shipped_methods import METHODS

__all__ = ["GROUP", "METHODS", "Known", "Method", "available", "method", "method_names"]

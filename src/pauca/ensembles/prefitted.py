"""Base of estimators around an ensemble: one that `fit` trains, or a fitted one that is used as it is."""

from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from ..config import LinksToSite
from .checks import check_ensemble
from .training import unfrozen


class PrefittedEnsemble(LinksToSite, BaseEstimator):
    """Base class of estimators whose ``ensemble`` may be fitted already.

    A subclass has `_ensemble_or_default`, and `_derived`: names of attributes that are made anew from the
    fitted ensemble and therefore not pickled.
    """

    ensemble: Any
    random_state: Any
    _derived: tuple[str, ...] = ()

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return self._fitted().n_features_in_

    @property
    def feature_names_in_(self) -> NDArray:
        """Names of the features, if the ensemble was fitted with any."""
        return self._fitted().feature_names_in_

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a fitted ensemble."""
        try:
            return self._fitted() is not None
        except NotFittedError:
            return False

    def __sklearn_tags__(self):
        """Tags with the input tags of the ensemble, where it has some."""
        tags = super().__sklearn_tags__()
        ensemble = self._ensemble_or_default()
        if hasattr(ensemble, "__sklearn_tags__"):
            tags.input_tags = get_tags(ensemble).input_tags
        return tags

    def __getstate__(self):
        """State for pickling, without the attributes that are made anew from the fitted ensemble."""
        dropped = (*self._derived, "_known_as_fitted")
        return {name: value for name, value in super().__getstate__().items() if name not in dropped}

    def _ensemble_or_default(self):
        """The ensemble, or the default one where it is None."""
        raise NotImplementedError

    def _unfitted_copy(self):
        """Copy to be trained; its ``random_state`` is drawn where both have none of their own."""
        self.__dict__.pop("_order", None)
        given = self._ensemble_or_default()
        check_ensemble(given)
        ensemble = clone(unfrozen(given))
        seeds = ensemble.get_params(deep=False).get("random_state", 0)
        if self.random_state is not None and seeds is None:
            ensemble.set_params(random_state=check_random_state(self.random_state).randint(2**31 - 1))
        return ensemble

    def _kept_order(self, n_members):
        """Random order of the members, drawn once for an ensemble and kept in pickles and files."""
        order = self.__dict__.get("_order")
        if order is None or len(order) != n_members:
            self._order = order = check_random_state(self.random_state).permutation(n_members)
        return order

    def _fitted(self):
        """Fitted ensemble: the one of `fit`, or the argument if that is fitted."""
        if "ensemble_" in self.__dict__:
            return self.ensemble_
        if self.ensemble is None or self.__dict__.get("_known_as_fitted") is not self.ensemble:
            self._check_ensemble_is_fitted()
        return self.ensemble

    def _check_ensemble_is_fitted(self):
        if not self._is_trained(self._ensemble_or_default()):
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted and neither is its ensemble: call fit, or give a "
                "fitted ensemble."
            )

    @staticmethod
    def _is_trained(ensemble):
        """Whether an ensemble is fitted; libraries other than scikit-learn have their own ways to say so."""
        if hasattr(ensemble, "is_fitted"):
            return ensemble.is_fitted()
        if not hasattr(ensemble, "get_params"):
            return True
        try:
            check_is_fitted(ensemble)
        except NotFittedError:
            return False
        return True

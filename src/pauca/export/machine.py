"""Base of estimators that can be exported, compiled and summarised."""

from abc import abstractmethod
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from .form import Portable

if TYPE_CHECKING:
    from .compiled import Predictor
    from .summary import Summary


class Shippable:
    """Estimator with a portable form."""

    # Number of training rows.
    _n_seen: int

    @abstractmethod
    def _portable(self) -> Portable:
        """Portable form of the fitted machine."""

    def compiled(self) -> "Predictor":
        """Predictor without validation: the fast path for one row or few.

        Rows must be arrays of finite floats with the columns of the training data in their order; nothing is
        checked. A single row of ten features at 70 vectors takes a few microseconds, a batch a few products
        of matrices. The predictor does not change any more: threads may share it, and it can be pickled.

        Returns
        -------
        predictor : Predictor
            Object with ``predict``, ``predict_proba`` (classifiers) and ``latent``.
        """
        from .compiled import Predictor

        check_is_fitted(self)
        return Predictor(self._portable())

    def summary(self) -> "Summary":
        """Readable page about the fitted machine: what it is, what it has seen and kept, how it predicts.

        Returns
        -------
        summary : Summary
            Prints as text; notebooks show it as HTML.
        """
        from .summary import summary_of

        check_is_fitted(self)
        return summary_of(self)

"""Methods that engines need of a likelihood and a prior, and the check that they are there.

A protocol lists the methods of one kind of part. An engine names its protocols in its signature and hands
them to `check_parts` before any work, so a mismatch is one error that names the missing method.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from numpy.typing import NDArray

__all__ = [
    "BoundedLikelihood",
    "ExpandableLikelihood",
    "FactorPrior",
    "FactorisedPrior",
    "GaussianLikelihood",
    "GaussianPrior",
    "JointTiltedLikelihood",
    "NoisyLabelLikelihood",
    "SamplingPrior",
    "SmoothGaussianPrior",
    "SmoothLikelihood",
    "SmoothPrior",
    "SpikeSlabPrior",
    "TiltedLikelihood",
    "check_parts",
]

_Moments = tuple[NDArray, NDArray, NDArray]


class SmoothLikelihood(Protocol):
    """Likelihood with derivatives, as Hamiltonian Monte Carlo needs it."""

    def log_prob(self, y: Any, f: Any) -> NDArray: ...
    def derivatives(self, y: Any, f: Any) -> tuple[NDArray, NDArray]: ...


class ExpandableLikelihood(Protocol):
    """Likelihood that gives its logarithm and two derivatives in one call, as Newton's method needs it."""

    def expand(self, y: Any, f: Any) -> _Moments: ...


class GaussianLikelihood(Protocol):
    """Gaussian noise of a known precision."""

    @property
    def precision(self) -> float: ...
    def log_prob(self, y: Any, f: Any) -> NDArray: ...


class BoundedLikelihood(Protocol):
    """Likelihood with a quadratic lower bound, as variational inference needs it."""

    def quadratic_bound(self, y: NDArray, squares: NDArray) -> _Moments: ...


class JointTiltedLikelihood(Protocol):
    """Likelihood of one latent value per class with tilted moments."""

    def tilted_moments(self, y: Any, mean: Any, var: Any) -> _Moments: ...


class TiltedLikelihood(JointTiltedLikelihood, Protocol):
    """Likelihood with tilted and tempered moments, as expectation propagation needs it."""

    def tempered_moments(self, y: Any, mean: Any, var: Any, power: Any) -> _Moments: ...
    def compiled_moments(self) -> Callable | None: ...


class SmoothPrior(Protocol):
    """Prior of the weights with derivatives."""

    def log_density(self, w: NDArray) -> float: ...
    def derivatives(self, w: NDArray) -> tuple[NDArray, NDArray]: ...
    def expand(self, w: NDArray) -> tuple[float, NDArray, NDArray]: ...


class GaussianPrior(Protocol):
    """Prior with Gaussian precisions and a log density."""

    @property
    def precision(self) -> NDArray: ...
    def log_density(self, w: NDArray) -> float: ...


class SmoothGaussianPrior(SmoothPrior, GaussianPrior, Protocol):
    """Prior with Gaussian precisions and derivatives, as variational inference needs it."""


class FactorPrior(Protocol):
    """Gaussian prior that may have a further factor for each weight, as expectation propagation needs it."""

    @property
    def precision(self) -> NDArray: ...
    @property
    def has_factors(self) -> bool: ...
    def tilted_moments(self, mean: NDArray, var: NDArray) -> _Moments: ...
    def compiled_moments(self) -> Callable | None: ...


class SamplingPrior(Protocol):
    """Smooth prior that may be truncated at zero, as Hamiltonian Monte Carlo needs it."""

    @property
    def is_positive(self) -> bool: ...
    @property
    def has_factors(self) -> bool: ...
    def expand(self, w: NDArray) -> tuple[float, NDArray, NDArray]: ...


class SpikeSlabPrior(Protocol):
    """Mixture of a spike and a slab for each weight, as Gibbs sampling needs it."""

    @property
    def inclusion(self) -> NDArray: ...
    @property
    def slab(self) -> float: ...
    @property
    def spike(self) -> float: ...


class FactorisedPrior(Protocol):
    """Independent priors of the weights with tilted moments, for factorised expectation propagation."""

    @property
    def inclusion(self) -> NDArray: ...
    @property
    def slab(self) -> float: ...
    @property
    def spike(self) -> float: ...
    @property
    def variance(self) -> NDArray: ...
    def tilted(self, precision: NDArray, shift: NDArray) -> Any: ...
    def log_normaliser(self, precision: NDArray, shift: NDArray) -> float: ...


class NoisyLabelLikelihood(Protocol):
    """Step likelihood with label noise ε ~ Beta(a, b), as expectation propagation in dual form needs it."""

    @property
    def a(self) -> float: ...
    @property
    def b(self) -> float: ...
    @property
    def known(self) -> bool: ...
    @property
    def mean(self) -> float: ...
    @property
    def log_norm(self) -> float: ...
    def tilt(self, mean: Any, var: Any, a: Any = None, b: Any = None, weights: Any = 1.0) -> NDArray: ...
    def fixed(self, rate: float) -> Any: ...


@cache
def _members(protocol: type) -> tuple[str, ...]:
    """Public names of a protocol and its bases, in alphabetical order."""
    bases = [base for base in protocol.__mro__ if base not in (Protocol, object)]
    return tuple(sorted({name for base in bases for name in vars(base) if not name.startswith("_")}))


def check_parts(engine: str, *pairs: tuple[Any, type]) -> None:
    """Raise a TypeError if a part of a model lacks a method that an engine needs.

    Parameters
    ----------
    engine : str
        Name of the engine for the message.
    *pairs : tuple of (object, protocol)
        Every part with the protocol whose names it must have.
    """
    for part, protocol in pairs:
        missing = [name for name in _members(protocol) if not hasattr(part, name)]
        if missing:
            raise TypeError(f"{type(part).__name__} has no {' and no '.join(missing)}, which {engine} needs.")

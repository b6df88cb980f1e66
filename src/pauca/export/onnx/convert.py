"""Conversion of machines, pipelines and pruned ensembles, by way of skl2onnx."""

from os import PathLike
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from ...validation import check_option
from ..errors import CannotExport
from ..forest import PortableEnsemble
from ..form import Portable
from ..machine import Shippable
from ..preprocessing import portable_of
from ..programs import program_of
from .ensembles import convert_ensemble, label_type, labels, parse_ensemble, set_ensemble_shapes
from .graph import DOUBLE, FLOAT, Graph
from .links import numbers, probabilities
from .moments import given, moments

# Version of the operators in use.
OPSET = 18
_EXTRA = 'ONNX files need skl2onnx and onnx: pip install "pauca[onnx]"'


class _Ready(BaseEstimator):
    """A portable form of a machine in the place of an estimator."""

    def __init__(self, form: Portable | None = None) -> None:
        self.form = form

    def _portable(self):
        return self.form


class _ReadyEnsemble(BaseEstimator):
    """A portable form of an ensemble in the place of an estimator."""

    def __init__(self, form: PortableEnsemble | None = None) -> None:
        self.form = form


def to_onnx(
    model: Any,
    X: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    precision: str = "float",
    target_opset: int = OPSET,
) -> Any:
    """Convert a fitted model to ONNX.

    Classifiers have the outputs ``label``, ``probabilities``, ``latent_mean`` and ``latent_variance``,
    regressors ``mean`` and ``std`` (the standard deviation of a new observation); pruned ensembles have
    ``label`` and ``probabilities``, or ``mean``, and evaluate all their members. Kernels and links are
    computed in double precision whatever the type of the rows, so that predictions agree with those of Python
    to single precision. The input is ``X``, a matrix of numbers; where there are columns of text, each column
    is an input of its own, by its name.

    Parameters
    ----------
    model : estimator
        Fitted machine, pruned ensemble, or pipeline that ends in a machine. Scalers, imputers and one-hot
        encoders become part of the graph; other steps go through their converters of skl2onnx.
    X : array-like or data frame of shape (n_samples, n_features), default=None
        Rows like those to predict; needed only for pipelines with other steps than scalers, imputers and
        encoders, whose inputs skl2onnx takes from it.
    path : str or path, default=None
        File to write, besides returning the model.
    precision : {"float", "double"}, default="float"
        Type of the rows and of the outputs.
    target_opset : int, default=18
        Version of the operators, 18 or newer.

    Returns
    -------
    onnx : ModelProto
        The converted model.

    Raises
    ------
    CannotExport
        If the model has no portable form, for example because its kernel is a function.

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> from pauca.export import to_onnx
    >>> X, y = make_ripley(100, random_state=0)
    >>> converted = to_onnx(SparseGPClassifier().fit(X, y))
    >>> [output.name for output in converted.graph.output]
    ['label', 'probabilities', 'latent_mean', 'latent_variance']
    """
    check_option("precision", precision, ("float", "double"))
    if target_opset < OPSET:
        raise ValueError(f"target_opset must be {OPSET} or newer; got {target_opset!r}.")
    register_converters()
    converted = _converted(model, X, precision, int(target_opset))
    if path is not None:
        Path(path).write_bytes(converted.SerializeToString())
    return converted


def _converted(model, X, precision, opset):
    """Model by its portable form, or by the converters of its steps."""
    import skl2onnx
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, StringTensorType

    number = FloatTensorType if precision == "float" else DoubleTensorType
    try:
        form = portable_of(model)
    except CannotExport:
        if X is None or not isinstance(model, Pipeline):
            raise
        return skl2onnx.to_onnx(model, X[:1], name="pauca", target_opset=opset)
    if isinstance(form, PortableEnsemble):
        inputs = [("X", number([None, form.n_features]))]
        return skl2onnx.convert_sklearn(_ReadyEnsemble(form), "pauca", inputs, target_opset=opset)
    program_of(form.kernel)
    inputs = [("X", number([None, form.inputs.n_given]))]
    if form.inputs.levels:
        text = StringTensorType([None, 1])
        names = form.inputs.names or [f"x{place}" for place in range(form.inputs.n_given)]
        kinds = (text if place in form.inputs.levels else number([None, 1]) for place in range(len(names)))
        inputs = list(zip(names, kinds, strict=True))
    return skl2onnx.convert_sklearn(_Ready(form), "pauca", inputs, target_opset=opset)


def register_converters() -> None:
    """Register converters of all machines with skl2onnx, so that it converts pipelines that contain one."""
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise ImportError(_EXTRA) from error
    for machine in (_Ready, *_subclasses(Shippable)):
        functions = _set_shapes, _convert
        update_registered_converter(
            machine, f"Pauca{machine.__name__}", *functions, parser=_parse, options={}
        )
    functions = set_ensemble_shapes, convert_ensemble
    update_registered_converter(
        _ReadyEnsemble, "PaucaEnsemble", *functions, parser=parse_ensemble, options={}
    )


def _subclasses(base):
    """All classes below a class."""
    for cls in base.__subclasses__():
        yield cls
        yield from _subclasses(cls)


def _parse(scope, model, inputs, custom_parsers=None):
    """Declare the outputs of a machine."""
    from skl2onnx._supported_operators import _get_sklearn_operator_name
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    form = model._portable()
    operator = scope.declare_local_operator(_get_sklearn_operator_name(type(model)), model)
    operator.inputs = inputs
    number = DoubleTensorType if _is_double(inputs) else FloatTensorType
    if form.classes is None:
        outputs = [("mean", number()), ("std", number())]
    else:
        names = ("probabilities", "latent_mean", "latent_variance")
        outputs = [("label", label_type(form.classes)), *((name, number()) for name in names)]
    for name, kind in outputs:
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def _set_shapes(operator):
    """Set the shapes of the outputs of a machine."""
    form = operator.raw_operator._portable()
    n_rows = operator.inputs[0].get_first_dimension()
    n_latent = len(form.latents)
    is_number = form.classes is None
    widths = [1, 1] if is_number else [None, len(form.classes), n_latent, n_latent]
    for output, width in zip(operator.outputs, widths, strict=False):
        output.type.shape = [n_rows] if width is None else [n_rows, width]


def _convert(scope, operator, container):
    """Add the nodes of a machine."""
    graph, form = Graph(scope, container), operator.raw_operator._portable()
    names = [output.full_name for output in operator.outputs]
    to = DOUBLE if _is_double(operator.inputs) else FLOAT
    rows = given(graph, form, [each.full_name for each in operator.inputs])
    mean, variance = moments(graph, form, rows)
    if form.classes is None:
        results = list(numbers(graph, form.link, mean, variance))
    else:
        p = probabilities(graph, form.link, mean, variance, len(form.classes))
        best = graph.node("ArgMax", p, axis=1, keepdims=0)
        graph.node("Gather", labels(graph, form.classes), best, output=names.pop(0))
        results = [p, mean, variance]
    for result, name in zip(results, names, strict=False):
        graph.cast(result, to, output=name)


def _is_double(inputs):
    """Whether the numbers among the inputs are in double precision."""
    from skl2onnx.common.data_types import DoubleTensorType

    return any(isinstance(each.type, DoubleTensorType) for each in inputs)

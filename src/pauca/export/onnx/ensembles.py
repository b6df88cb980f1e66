"""Converters of pruned ensembles: every member by its own converter, then votes or means."""

from typing import Any

import numpy as np

from .graph import DOUBLE, FLOAT, Graph


def label_type(classes: Any) -> Any:
    """Type of the labels in a graph."""
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

    kinds = {"i": Int64TensorType, "u": Int64TensorType, "b": Int64TensorType, "f": FloatTensorType}
    return kinds.get(np.asarray(classes).dtype.kind, StringTensorType)()


def labels(graph: Graph, classes: Any) -> str:
    """Constant of the class labels."""
    kind = np.asarray(classes).dtype.kind
    if kind in "iub":
        return graph.integers(classes)
    if kind == "f":
        return graph.cast(graph.double(classes), FLOAT)
    return graph.texts(classes)


def parse_ensemble(scope: Any, model: Any, inputs: list, custom_parsers: Any = None) -> list:
    """Declare the outputs of an ensemble."""
    from skl2onnx._supported_operators import _get_sklearn_operator_name

    form, number = model.form, type(inputs[0].type)
    operator = scope.declare_local_operator(_get_sklearn_operator_name(type(model)), model)
    operator.inputs = inputs
    outputs = [("mean", number())]
    if form.classes is not None:
        outputs = [("label", label_type(form.classes)), ("probabilities", number())]
    for name, kind in outputs:
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def set_ensemble_shapes(operator: Any) -> None:
    """Set the shapes of the outputs of an ensemble."""
    n_rows, form = operator.inputs[0].get_first_dimension(), operator.raw_operator.form
    if form.classes is None:
        operator.outputs[0].type.shape = [n_rows, 1]
        return
    operator.outputs[0].type.shape = [n_rows]
    operator.outputs[1].type.shape = [n_rows, len(form.classes)]


def convert_ensemble(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of all members and of their mean."""
    from skl2onnx.common.data_types import DoubleTensorType

    graph, form = Graph(scope, container), operator.raw_operator.form
    x = operator.inputs[0]
    to = DOUBLE if isinstance(x.type, DoubleTensorType) else FLOAT
    answers = [_answer(graph, form, place, x) for place in range(len(form.members))]
    shares = np.full(len(answers), 1 / len(answers)) if form.weights is None else form.weights
    parts = [graph.times(answer, share) for answer, share in zip(answers, shares, strict=True)]
    mean = parts[0] if len(parts) == 1 else graph.node("Sum", *parts)
    names = [output.full_name for output in operator.outputs]
    if form.classes is not None:
        best = graph.node("ArgMax", mean, axis=1, keepdims=0)
        graph.node("Gather", labels(graph, form.classes), best, output=names.pop(0))
    graph.cast(mean, to, output=names[0])


def _answer(graph: Graph, form: Any, place: int, x: Any) -> str:
    """Probabilities of all classes, votes for them, or a number, of one member in double precision."""
    from skl2onnx._supported_operators import _get_sklearn_operator_name
    from skl2onnx.common.data_types import Int64TensorType

    (member, features), scope = form.members[place], graph.scope
    operator = scope.declare_local_operator(_get_sklearn_operator_name(type(member)), member)
    operator.inputs.append(_selected(graph, features, x))
    answer = scope.declare_local_variable("answer", type(x.type)())
    if form.codes is None:
        operator.outputs.append(answer)
        reshaped = graph.node("Reshape", answer.onnx_name, graph.integers([-1, 1]))
        return graph.cast(reshaped, DOUBLE)
    is_text = np.asarray(member.classes_).dtype.kind not in "iubf"
    kind = label_type(member.classes_) if is_text else Int64TensorType()
    label = scope.declare_local_variable("label", kind)
    operator.outputs += [label, answer]
    scope.add_options(id(member), {"zipmap": False})
    spread = np.zeros((len(member.classes_), len(form.classes)))
    spread[np.arange(len(member.classes_)), form.codes[place]] = 1.0
    values = graph.cast(answer.onnx_name, DOUBLE)
    if not form.soft:
        best = graph.node("ArgMax", values, axis=1, keepdims=1)
        values = graph.node("Equal", best, graph.integers(np.arange(len(member.classes_))[None]))
        values = graph.cast(values, DOUBLE)
    return graph.node("MatMul", values, graph.double(spread))


def _selected(graph, features, x):
    """Columns that a member takes."""
    if features is None:
        return x
    chosen = graph.scope.declare_local_variable("features", type(x.type)())
    graph.node("Gather", x.full_name, graph.integers(features), axis=1, output=chosen.full_name)
    return chosen

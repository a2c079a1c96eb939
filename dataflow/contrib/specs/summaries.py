"""Descriptions of what leads to a tensor: its ops, and how many parameters they have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from dataflow.contrib.specs.evaluation import create_net
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.placeholder import placeholder
from dataflow.values import dtypes

SHORT_NAMES: Final = {
    "BiasAdd": "biasadd",
    "Const": "_",
    "Conv2D": "conv",
    "MatMul": "dot",
    "Placeholder": "_",
    "Sigmoid": "sig",
    "Variable": "var",
}
"""How types of ops are called in `tf_structure`, rather than by their names in small letters."""
_VARIABLES: Final = ("Variable", "VariableV2")
_UNROLLED: Final = "/HorizontalLstm/"
"""In the names of ops that are too many to tell."""
Printer = Callable[[str], Any]
Row = tuple[str, int, Any]
"""A name, how many parameters it has, and a shape."""


def tf_structure(x: Any, include_shapes: bool = False, finished: set[Any] | None = None) -> str:
    """The types of the ops that lead to a tensor, each behind those of its inputs.

    Args:
      x: A tensor or an operation.
      include_shapes: Whether shapes stand before types.
      finished: Operations that only `<>` stands for; those that are told are added.
    """
    done: set[Any] = set() if finished is None else finished
    shape, op = _parts(x, [])
    if op in done:
        return " <>"
    done.add(op)
    text = ""
    if _UNROLLED not in op.name:
        text = "".join(tf_structure(each, include_shapes, done) for each in op.inputs)
    if include_shapes:
        text += f" {shape}"
    if op.type != "Identity":
        text += f" {SHORT_NAMES.get(op.type, op.type.lower())}"
    return text


def tf_print(
    x: Any, depth: int = 0, finished: set[Any] | None = None, printer: Printer = print
) -> None:
    """Prints name, type and shape of the ops that lead to a tensor, each before its inputs.

    Args:
      x: A tensor or an operation.
      depth: How far lines begin to the right.
      finished: Operations whose inputs are not told again; those that are told are added.
      printer: Takes the lines.
    """
    done: set[Any] = set() if finished is None else finished
    shape, op = _parts(x, "")
    if op.type == "Identity":
        op = op.inputs[0].op
    indent = "  " * depth
    if op in done:
        printer(f"{indent}<{op.name}> {op.type} {shape}")
        return
    done.add(op)
    printer(f"{indent}{op.name} {op.type} {shape}")
    for each in op.inputs if _UNROLLED not in op.name else ():
        tf_print(each, depth + 1, done, printer)


def tf_num_params(x: Any) -> int:
    """How many elements the variables have that lead to a tensor or an operation."""
    op = x.op if isinstance(x, Tensor) else x
    if op.type in _VARIABLES:
        return op.outputs[0].shape.num_elements() or 0
    if op.type == "VarHandleOp":
        return int(op.get_attr("shape").num_elements())
    return sum(map(tf_num_params, op.inputs))


def tf_left_split(op: Operation) -> tuple[Any, list[Any]]:
    """The first input of an operation, or None, and the others."""
    inputs = list(op.inputs)
    if op.type == "Concat":
        inputs = inputs[1:]
    return (inputs[0], inputs[1:]) if inputs else (None, [])


def tf_parameter_iter(x: Any) -> Iterator[Row]:
    """From a tensor on by first inputs: names, the other inputs' parameters, and shapes."""
    while x is not None:
        shape, op = _parts(x, "")
        x, others = tf_left_split(op)
        yield op.name, sum(map(tf_num_params, others)), shape


def tf_parameter_summary(x: Any, printer: Printer = print, combine: bool = True) -> None:
    """Prints how many parameters the layers have that lead to a tensor, the first one first.

    Args:
      x: A tensor or an operation.
      printer: Takes the lines.
      combine: Whether ops in the same scope are a layer, rather than each by itself.
    """
    rows: Iterable[Row] = tf_parameter_iter(x)
    for name, count, shape in reversed(list(_layers(rows) if combine else rows)):
        printer(f"{count:10d} {name:<20s} {shape}")


def _layers(rows: Iterable[Row]) -> Iterator[Row]:
    last: Row | None = None
    for name, count, shape in rows:
        name = name.partition("/")[0]
        if last is not None and last[0] == name:
            last = name, last[1] + count, last[2]
            continue
        if last is not None:
            yield last
        last = name, count, shape
    if last is not None:
        yield last


def tf_spec_structure(
    spec: str, inputs: Any = None, input_shape: Any = None, input_type: Any = dtypes.float32
) -> str:
    """`tf_structure` of the net that a text describes.

    Args:
      spec: See `eval_spec`.
      inputs: What the net takes; a placeholder if None.
      input_shape: The placeholder's shape.
      input_type: Its type.
    """
    return tf_structure(_net(spec, inputs, input_shape, input_type)).strip()


def tf_spec_summary(
    spec: str, inputs: Any = None, input_shape: Any = None, input_type: Any = dtypes.float32
) -> None:
    """`tf_parameter_summary` of the net that a text describes; see `tf_spec_structure`."""
    tf_parameter_summary(_net(spec, inputs, input_shape, input_type))


def tf_spec_print(
    spec: str, inputs: Any = None, input_shape: Any = None, input_type: Any = dtypes.float32
) -> None:
    """`tf_print` of the net that a text describes; see `tf_spec_structure`."""
    tf_print(_net(spec, inputs, input_shape, input_type))


def _net(spec: str, inputs: Any, input_shape: Any, input_type: Any) -> Any:
    if inputs is None:
        inputs = placeholder(input_type, input_shape)
    return create_net(spec, inputs)


def _parts(x: Any, no_shape: Any) -> tuple[Any, Operation]:
    """The shape of a tensor, and its operation."""
    if isinstance(x, Tensor):
        return x.get_shape().as_list(), x.op
    return no_shape, x

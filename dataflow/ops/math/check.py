"""Checks of values in the run: no NaN, no infinity."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with, control_dependencies, get_default_graph, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT
from dataflow.schema.opdef import define_op
from dataflow.schema.shape_functions import unchanged
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed


def _check_gradient(op: Operation, grad: Any) -> Any:
    # TensorFlow shows the message as Python shows bytes.
    text = (
        f"Not a number (NaN) or infinity (Inf) values detected in gradient. {op.attrs['message']}"
    )
    return single(op.type, grad, message=text)


for _name, _doc in (
    ("CheckNumerics", "Passes its input on, unless an element is NaN or infinite."),
    ("CheckNumericsV2", "Like CheckNumerics, and tells the sign of infinities."),
):
    define_op(
        _name,
        inputs="tensor: T",
        outputs="output: T",
        attrs=[FLOAT, "message: string"],
        shape=unchanged,
        gradient=_check_gradient,
        doc=_doc,
        stateful=True,
    )


@unary
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor, unless an element is NaN or infinite.

    Args:
      tensor: A floating tensor.
      message: What the error starts with.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: In the run: an element is NaN or infinite.
    """
    return single("CheckNumerics", tensor, message=message, name=name)


def verify_tensor_all_finite(
    t: Any = None,
    msg: Any = None,
    name: str | None = None,
    x: Any = None,
    message: Any = None,
) -> Tensor:
    """The tensor, which waits for a check that no element is NaN or infinite.

    Args:
      t: Old name of `x`.
      msg: Old name of `message`.
      name: Name of the operations.
      x: A floating tensor.
      message: What the error starts with.

    Raises:
      ValueError: An argument is given under both its names.
      InvalidArgumentError: In the run: an element is NaN or infinite.
    """
    value = renamed("x", x, "t", t)
    text = renamed("message", message, "msg", msg)
    with name_scope(name, "VerifyFinite", [value]):
        tensor = convert_to_tensor(value, name="x")
        with colocate_with(tensor):
            checked = check_numerics(tensor, message=text)
        waits = control_dependencies([checked])
        with name_scope(None, "control_dependency") as scope, colocate_with(tensor), waits:
            result: Tensor = identity(tensor, name=scope)
            return result


def add_check_numerics_ops() -> Operation:
    """An operation that checks every floating tensor of the default graph, one after the other.

    The error names the tensor that is first, in the order of the graph, to hold NaN or infinity.

    Raises:
      ValueError: A floating tensor is made within a construct of control flow.
    """
    checks: list[Tensor] = []
    for op in get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
                if op._get_control_flow_context() is not None:
                    raise ValueError(
                        "`tf.add_check_numerics_ops() is not compatible with TensorFlow control "
                        "flow operations such as `tf.cond()` or `tf.while_loop()`."
                    )
                message = f"{op.name}:{output.value_index}"
                with control_dependencies(checks):
                    checks = [check_numerics(output, message=message)]
    return group(*checks)

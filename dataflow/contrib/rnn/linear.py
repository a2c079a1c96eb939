"""Sums of weighted arguments, with variables of the open variable scope."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.layers.arguments import ZEROS
from dataflow.ops.array.concat import concat
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.bias import bias_add
from dataflow.values import nest
from dataflow.values.shapes import dimension_value
from dataflow.variables.initializers import Constant
from dataflow.variables.scope import get_variable, variable_scope


class Linear:
    """`[arg, ...] @ kernel + bias`, whose variables are made where the object is.

    Args:
      args: A tensor [batch, size], or a list of them, like those it will be called with.
      output_size: Size of the results.
      build_bias: Whether there is a bias.
      bias_initializer: Initial value of the bias; 0 if None.
      kernel_initializer: Initial value of the kernel; the variable scope's default if None.

    Raises:
      ValueError: There are no arguments, or one is no matrix of known size.
    """

    def __init__(
        self,
        args: Any,
        output_size: Any,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        self._build_bias = build_bias
        given = _listed(args)
        dtype = given[0].dtype
        rows = sum(_size(each) for each in given)
        with variable_scope(get_variable_scope()) as scope:
            self._weights = get_variable(
                "kernel", [rows, output_size], dtype=dtype, initializer=kernel_initializer
            )
            if build_bias:
                with variable_scope(scope) as inner:
                    inner.set_partitioner(None)
                    self._biases = get_variable(
                        "bias",
                        [output_size],
                        dtype=dtype,
                        initializer=ZEROS if bias_initializer is None else bias_initializer,
                    )

    def __call__(self, args: Any) -> Tensor:
        """The sums, [batch, output_size]."""
        given = _listed(args)
        joined = given[0] if len(given) == 1 else concat(given, 1)
        result = matmul(joined, self._weights)
        return bias_add(result, self._biases) if self._build_bias else result


def linear(
    args: Any,
    output_size: Any,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
    scope: Any = None,
    bias_start: Any = None,
) -> Tensor:
    """`Linear`, made and called.

    Args:
      args: A tensor [batch, size], or a list of them.
      output_size: Size of the results.
      bias: Whether there is a bias.
      bias_initializer: Initial value of the bias, or a number; 0 if None.
      kernel_initializer: Initial value of the kernel; the variable scope's default if None.
      scope: Variable scope of kernel and bias; the open one if None.
      bias_start: The number as older programs name it.

    Raises:
      ValueError: See `Linear`.
    """
    start = bias_initializer if bias_start is None else bias_start
    if isinstance(start, int | float):
        start = Constant(float(start))
    with variable_scope(get_variable_scope() if scope is None else scope):
        return Linear(args, output_size, bias, start, kernel_initializer)(args)


def _listed(args: Any) -> list[Any]:
    if args is None or (nest.is_nested(args) and not args):
        raise ValueError("`args` must be specified")
    return list(args) if nest.is_nested(args) else [args]


def _size(arg: Tensor) -> int:
    if arg.shape.rank != 2:
        raise ValueError(f"linear is expecting 2D arguments: {arg.shape}")
    size = dimension_value(arg.shape[1])
    if size is None:
        raise ValueError(
            f"linear expects shape[1] to be provided for shape {arg.shape}, but saw None"
        )
    return size

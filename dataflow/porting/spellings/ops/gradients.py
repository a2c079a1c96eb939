"""tensorflow.python.ops.gradients_impl, custom_gradient and math_ops: what their tests look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.control_flow import functional
from dataflow.control_flow.primitives import as_indexed_slices as _as_indexed_slices
from dataflow.control_flow.primitives import as_indexed_slices_list as _as_indexed_slices_list
from dataflow.differentiation.custom_gradient import custom_gradient, variables_between
from dataflow.differentiation.gradients import gradients
from dataflow.differentiation.registry import is_trainable, is_trainable_type
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.lists.tensor_array_gradients import gradient_source as _GetGradSource
from dataflow.values import dtypes, nest

__all__ = [
    "_GetGradSource",
    "_as_indexed_slices",
    "_as_indexed_slices_list",
    "_graph_mode_decorator",
]


def get_dependent_variables(input_ops: Any, output_ops: Any) -> list[Any]:
    """The trainable variables that outputs depend on other than by inputs.

    Args:
      input_ops: A tensor or a structure of tensors.
      output_ops: A tensor or a structure of tensors.
    """
    return variables_between(nest.flatten(input_ops), nest.flatten(output_ops))


def IsTrainable(tensor_or_dtype: Any) -> bool:
    """Whether a tensor, or tensors of an element type, can have gradients."""
    if isinstance(tensor_or_dtype, Tensor):
        return is_trainable(tensor_or_dtype)
    return is_trainable_type(dtypes.as_dtype(tensor_or_dtype))


def _graph_mode_decorator(f: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function gives that says its own gradient; see `tf.custom_gradient`."""
    return custom_gradient(f)(*args, **kwargs)


def copy_handle_data(source_t: Tensor, target_t: Tensor) -> None:
    """Says of a tensor that it points to what another points to."""
    functional.copy_handle_data([source_t], [target_t])


def _hessian_vector_product(ys: Any, xs: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """The second derivatives of the sum of `ys` with respect to `xs`, times a vector.

    Raises:
      ValueError: There is not one of `v` for each of `xs`.
    """
    if len(xs) != len(v):
        raise ValueError("xs and v must have the same length.")
    pairs = zip(gradients(ys, xs), v, strict=True)
    return gradients(
        [first * stop_gradient(each) for first, each in pairs if first is not None], xs
    )

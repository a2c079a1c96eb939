"""Derivatives in a direction, by differentiating twice.

Townsend, 2017, https://j-towns.github.io/2017/06/12/A-new-trick.html.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.control_flow.assertion import Assert
from dataflow.differentiation.gradients import gradients
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.scopes import control_dependencies
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.basic.identity import identity_n


def fwd_gradients(
    ys: Sequence[Any],
    xs: Sequence[Any],
    grad_xs: Sequence[Any] | None = None,
    assert_unused: bool = False,
) -> list[Any]:
    """How some tensors change where others move in a direction.

    Args:
      ys: The former.
      xs: The latter.
      grad_xs: The direction, one tensor for each of `xs`; ones if None.
      assert_unused: Whether a step fails that works out the gradients in between, which none needs.

    Returns:
      The change of each of `ys`; None where there is none.
    """
    # The gradient is linear in these, and differentiated by them: what they are does not count.
    weights = [zeros_like(y) + float("nan") for y in ys]
    grads = [
        convert_to_tensor(grad) if isinstance(grad, IndexedSlices) else grad
        for grad in gradients(ys, xs, grad_ys=weights)
    ]
    if assert_unused:
        with control_dependencies(grads):
            failing = Assert(False, [1], name="fwd_gradients")
        with control_dependencies([failing]):
            grads = list(identity_n(grads))
    grads = [zeros_like(x) if grad is None else grad for x, grad in zip(xs, grads, strict=True)]
    for x, grad in zip(xs, grads, strict=True):
        grad.set_shape(x.shape)
    found: list[Any] = gradients(grads, weights, grad_ys=grad_xs)
    return found

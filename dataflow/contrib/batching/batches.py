"""The ops of batches, their gradients, and the decorator made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from dataflow.differentiation.registry import RegisterGradient
from dataflow.graph.apply_op import apply_op
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor

_MINUTE: Final = 60 * 1000 * 1000

batch: Final = partial(apply_op, "Batch")
"""`batch(in_tensors, num_batch_threads=, max_batch_size=, ...)`: `tf.raw_ops.Batch`."""
unbatch: Final = partial(apply_op, "Unbatch")
"""`unbatch(batched_tensor, batch_index, id, timeout_micros=, ...)`: `tf.raw_ops.Unbatch`."""


@RegisterGradient("Batch")
def _of_batch(op: Any, *grads: Any) -> list[Tensor]:
    *_, index, number = op.outputs
    return [
        unbatch(
            grads[place],
            index,
            number,
            timeout_micros=op.get_attr("grad_timeout_micros"),
            shared_name=f"batch_gradient_{op.name}_{place}".encode(),
        )
        for place in range(len(op.inputs))
    ]


@RegisterGradient("Unbatch")
def _of_unbatch(op: Any, grad: Any) -> list[Any]:
    batched, index, number = op.inputs
    name = f"unbatch_gradient_{op.name}".encode()
    return [apply_op("UnbatchGrad", batched, index, grad, number, shared_name=name), None, None]


def batch_function_v1(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    grad_timeout_micros: int = _MINUTE,
    unbatch_timeout_micros: int = _MINUTE,
    max_enqueued_batches: int = 10,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions that build graphs: one step computes the rows of several.

    The other steps run the nodes of the function on no rows. What comes back can be differentiated.

    Args:
      num_batch_threads: How many batches are put together at a time.
      max_batch_size: How many rows a batch has at most.
      batch_timeout_micros: How long the first request of a batch waits for others.
      allowed_batch_sizes: To which sizes batches are filled up; None for any.
      grad_timeout_micros: How long a gradient waits for its rows.
      unbatch_timeout_micros: How long a request waits for its rows.
      max_enqueued_batches: How many batches wait at most.

    Returns:
      The decorator. What it makes raises ValueError for arguments that are no tensors.
    """

    def decorator(f: Callable[..., Any]) -> Callable[..., Any]:
        def decorated(*args: Any) -> Any:
            with name_scope("batch") as scope:
                for each in args:
                    if not isinstance(each, Tensor):
                        raise ValueError(
                            "All arguments to functions decorated with `batch_function`  are "
                            f"supposed to be Tensors; found {each!r}"
                        )
            tensors, index, number = batch(
                list(args),
                num_batch_threads=num_batch_threads,
                max_batch_size=max_batch_size,
                batch_timeout_micros=batch_timeout_micros,
                max_enqueued_batches=max_enqueued_batches,
                allowed_batch_sizes=allowed_batch_sizes,
                grad_timeout_micros=grad_timeout_micros,
                shared_name=scope.encode(),
            )
            outputs = f(*tensors)
            with name_scope("unbatch") as scope:
                results = [
                    unbatch(
                        each,
                        index,
                        number,
                        timeout_micros=unbatch_timeout_micros,
                        shared_name=f"{scope}/{each.name}".encode(),
                    )
                    for each in ([outputs] if isinstance(outputs, Tensor) else outputs)
                ]
            return results[0] if isinstance(outputs, Tensor) else results

        return decorated

    return decorator

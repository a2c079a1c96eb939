"""Generated data of earlier steps in the place of new ones."""

from __future__ import annotations

from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.random_shuffle_queue import RandomShuffleQueue
from dataflow.ops.basic.identity import identity
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import nest


def tensor_pool(
    input_values: Any,
    pool_size: int = 50,
    pooling_probability: float = 0.5,
    name: str = "tensor_pool",
) -> Any:
    """Values of this step, or by chance those of an earlier one (Shrivastava et al., 2016).

    Args:
      input_values: Tensors in any structure.
      pool_size: How many steps are kept; 0 for none.
      pooling_probability: How probable an earlier one is once as many are kept.
      name: Of the scope of the operations.

    Raises:
      ValueError: The size is below zero.
    """
    size = int(pool_size)
    if size < 0:
        raise ValueError("`pool_size` is negative.")
    if size == 0:
        return input_values
    values = nest.flatten(input_values)
    with scopes.name_scope(f"{name}_pool_queue", values=[*values, pooling_probability]):
        queue = RandomShuffleQueue(size, 0, [value.dtype for value in values])

        def kept() -> Any:
            with scopes.control_dependencies([queue.enqueue(values)]):
                return [identity(value) for value in values]

        def exchanged() -> Any:
            earlier = _list(queue.dequeue())
            with (
                scopes.control_dependencies(earlier),
                scopes.control_dependencies([queue.enqueue(values)]),
            ):
                is_earlier = random_uniform(()) < pooling_probability
                return cond(is_earlier, lambda: earlier, lambda: values)

        outputs = _list(cond(queue.size() < size, kept, exchanged))
        for value, output in zip(values, outputs, strict=True):
            output.set_shape(value.shape)
    return nest.pack_sequence_as(input_values, outputs)


def _list(values: Any) -> list[Any]:
    return [values] if isinstance(values, Tensor) else list(values)

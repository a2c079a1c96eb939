"""The queue whose elements leave it in the order in which they came."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import init_scope
from dataflow.library.queues.elements import as_name_list, as_shape_list, as_type_list
from dataflow.library.queues.queue_base import QueueBase
from dataflow.ops.basic.single import single


class FIFOQueue(QueueBase):
    """A queue of bounded size, first in, first out; each element is delivered once."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        """Makes a queue.

        Args:
          capacity: Most elements it holds; negative for any number.
          dtypes: Element types of the components.
          shapes: Their fully defined shapes; None if elements may have any, and then
            `dequeue_many` is refused.
          names: Names of the components: elements are dictionaries then.
          shared_name: Shares the queue among nodes and sessions under this name.
          name: The name of the queue's op.

        Raises:
          ValueError: Shapes are not fully defined, or there are more or fewer than types.
        """
        types = as_type_list(dtypes)
        found_shapes = as_shape_list(shapes, types)
        found_names = as_name_list(names, types)
        with init_scope():
            handle = single(
                "FIFOQueueV2",
                component_types=types,
                shapes=found_shapes,
                capacity=capacity,
                shared_name=shared_name,
                name=name,
            )
        super().__init__(types, found_shapes, found_names, handle)

"""The queue whose elements leave it by priority."""

from __future__ import annotations

from typing import Any

from dataflow.library.queues.elements import as_name_list, as_shape_list, as_type_list
from dataflow.library.queues.queue_base import QueueBase
from dataflow.ops.basic.single import single
from dataflow.values.dtypes import int64
from dataflow.values.shapes import TensorShape


class PriorityQueue(QueueBase):
    """A queue that gives the element whose first component, an int64 scalar, is lowest."""

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        """Makes a queue.

        Args:
          capacity: Most elements it holds; negative for any number.
          types: Element types of the components after the priority.
          shapes: Their fully defined shapes.
          names: Names of all components, the priority's first: elements are dictionaries then.
          shared_name: Shares the queue among nodes and sessions under this name.
          name: The name of the queue's op.

        Raises:
          ValueError: Shapes are not fully defined, or there are more or fewer than types.
        """
        types = as_type_list(types)
        found_shapes = as_shape_list(shapes, types)
        handle = single(
            "PriorityQueueV2",
            component_types=types,
            shapes=found_shapes,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        all_types = [int64, *types]
        all_shapes = [TensorShape([]), *found_shapes] if found_shapes else found_shapes
        super().__init__(all_types, all_shapes, as_name_list(names, all_types), handle)

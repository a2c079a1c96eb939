"""The queue that fills up elements of different sizes when they are stacked."""

from __future__ import annotations

from typing import Any

from dataflow.library.queues.elements import as_name_list, as_shape_list, as_type_list
from dataflow.library.queues.queue_base import QueueBase
from dataflow.ops.basic.single import single


class PaddingFIFOQueue(QueueBase):
    """A queue, first in, first out, whose components may have unknown sizes.

    `dequeue_many` fills up the elements with zeros or empty strings to the largest of them.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        """Makes a queue.

        Args:
          capacity: Most elements it holds; negative for any number.
          dtypes: Element types of the components.
          shapes: Their shapes, of known ranks; None for sizes in which elements may differ.
          names: Names of the components: elements are dictionaries then.
          shared_name: Shares the queue among nodes and sessions under this name.
          name: The name of the queue's op.

        Raises:
          ValueError: A rank is unknown, or there are more or fewer shapes than types.
        """
        types = as_type_list(dtypes)
        found_shapes = as_shape_list(shapes, types, partial=True)
        found_names = as_name_list(names, types)
        if len(types) != len(found_shapes):
            raise ValueError(
                "Shapes must be provided for all components, "
                f"but received {len(types)} dtypes and {len(found_shapes)} shapes."
            )
        handle = single(
            "PaddingFIFOQueueV2",
            component_types=types,
            shapes=found_shapes,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(types, found_shapes, found_names, handle)

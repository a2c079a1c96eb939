"""The queue whose elements leave it in random order."""

from __future__ import annotations

import hashlib
from typing import Any

from dataflow.graph.random_seed import get_seed
from dataflow.library.queues.elements import as_name_list, as_shape_list, as_type_list
from dataflow.library.queues.queue_base import QueueBase
from dataflow.ops.basic.single import single


class RandomShuffleQueue(QueueBase):
    """A queue that gives one of its elements at random, and keeps some to choose from."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        """Makes a queue.

        Args:
          capacity: Most elements it holds; negative for any number.
          min_after_dequeue: Elements that stay in the queue, and are waited for, while it is open.
          dtypes: Element types of the components.
          shapes: Their fully defined shapes; None if elements may have any.
          names: Names of the components: elements are dictionaries then.
          seed: Seed of the order; see `tf.set_random_seed`.
          shared_name: Shares the queue among nodes and sessions under this name.
          name: The name of the queue's op.

        Raises:
          ValueError: Shapes are not fully defined, or there are more or fewer than types.
        """
        types = as_type_list(dtypes)
        found_shapes = as_shape_list(shapes, types)
        found_names = as_name_list(names, types)
        first, second = get_seed(seed)
        if first is None and second is None:
            first, second = 0, 0
        elif seed is None and shared_name is not None:
            # All who share the queue must come to the same seed.
            digest = hashlib.md5(f"{first}{shared_name}".encode(), usedforsecurity=False)
            second = int(digest.hexdigest()[:8], 16) & 0x7FFFFFFF
        handle = single(
            "RandomShuffleQueueV2",
            component_types=types,
            shapes=found_shapes,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=first,
            seed2=second,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(types, found_shapes, found_names, handle)

"""tensorflow.python.data.experimental.ops.threadpool: pools of threads for datasets."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import dataset_node

__all__ = ["PrivateThreadPool", "override_threadpool"]


class PrivateThreadPool:
    """Threads that the graph tells of; how many calls go on at a time decides the dataset."""

    def __init__(
        self, num_threads: int, display_name: str | None = None, max_intra_op_parallelism: int = 1
    ) -> None:
        """Adds the pool's handle to the graph.

        Args:
          num_threads: How many threads there are.
          display_name: What they are called.
          max_intra_op_parallelism: How many threads one operation may use.
        """
        self._resource = apply_op(
            "ThreadPoolHandle",
            num_threads=num_threads,
            max_intra_op_parallelism=max_intra_op_parallelism or 0,
            display_name=display_name or "",
        )


def override_threadpool(dataset: Any, thread_pool: PrivateThreadPool) -> Any:
    """The dataset's elements, in a graph that says which threads make them."""
    spec = dataset.element_spec
    variant = dataset_node(
        "ThreadPoolDataset", spec, dataset._variant_tensor, thread_pool._resource
    )
    return DatasetBase._made(variant, spec, dataset)

"""What kernels of boosted trees are given: scalars, vectors and matrices, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.splits import Regularization
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text


def scalar(value: Any, name: str) -> Any:
    """The element of a scalar.

    Raises:
      InvalidArgumentError: It has dimensions.
    """
    if np.ndim(value):
        raise invalid(f"{name} must be a scalar, got a tensor of shape {_shape(value)}")
    return np.reshape(value, ())[()]


def vector(value: Any, text: str, index: int | None = None) -> Any:
    """A vector.

    Args:
      value: What must be one.
      text: What an error says of it, as "node_ids must be".
      index: Its place in a list, for the error.

    Raises:
      InvalidArgumentError: It is none.
    """
    return _of_rank(value, 1, f"{text} a vector", index)


def matrix(value: Any, text: str, index: int | None = None) -> Any:
    """A matrix; see `vector`."""
    return _of_rank(value, 2, f"{text} a matrix", index)


def _of_rank(value: Any, rank: int, text: str, index: int | None) -> Any:
    if np.ndim(value) != rank:
        where = "" if index is None else f" at index {index}"
        raise invalid(f"{text}, received shape {_shape(value)}{where}")
    return value


def _shape(value: Any) -> str:
    return shape_text(np.shape(value))


def node_range(value: Any, count: int | None = None) -> range:
    """The ids of nodes between two, the first one included.

    Args:
      value: The two.
      count: How many nodes there are sums of; None if that does not matter.

    Raises:
      InvalidArgumentError: They are not two, or there are no sums of a node between them.
    """
    if np.ndim(value) != 1:
        raise invalid(
            "node_id_range must be a rank 1 tensor, but given node_id_range has dims of "
            f"{np.ndim(value)}"
        )
    if len(value) != 2:
        raise invalid(
            "node_id_range must be a rank 1 tensor with shape=[2], but given node_id_range has "
            f"shape {len(value)} on its first dim"
        )
    first, behind = int(value[0]), int(value[1])
    if count is not None and first < behind and not 0 <= first < behind <= count:
        raise invalid(
            f"node_id_range must be within [0, {count}), the nodes of the stats summary, got "
            f"[{first}, {behind})"
        )
    return range(first, max(first, behind))


def regularization(l1: Any, l2: Any, tree_complexity: Any, min_node_weight: Any) -> Regularization:
    """What keeps trees small.

    Raises:
      InvalidArgumentError: One is no scalar.
    """
    return Regularization(
        scalar(l1, "l1"),
        scalar(l2, "l2"),
        scalar(tree_complexity, "tree_complexity"),
        scalar(min_node_weight, "min_node_weight"),
    )


def match_examples(nodes: Any, others: dict[str, Any]) -> None:
    """Checks that there is as much of everything as there are nodes of examples.

    Args:
      nodes: The node of each example.
      others: What has a row for each example, by the name of the argument.

    Raises:
      InvalidArgumentError: There is another number of rows.
    """
    for name, rows in others.items():
        if len(rows) != len(nodes):
            raise invalid(
                f"node_ids size should match 0th dim of {name}. node ids size: {len(nodes)}, "
                f"{name} dim0: {len(rows)}"
            )

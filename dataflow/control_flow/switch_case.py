"""tf.switch_case: one of several functions, chosen by an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow.cond_v2 import indexed_case
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor


def switch_case(
    branch_index: Tensor, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Calls the function whose index is `branch_index`; `default`, or the last, if there is none.

    Args:
      branch_index: An int scalar tensor.
      branch_fns: Functions, or pairs of an index and a function, or a dictionary of them. All
        return the same structure of tensors of the same types.
      default: The function for all other indices.
      name: Name scope of the operations made.

    Returns:
      What the function returned.

    Raises:
      TypeError: An argument is of a wrong type, or the functions return different structures.
      ValueError: The indices are not 0, 1, 2, ...
    """
    actions = _checked(branch_fns, default, branch_index)
    with scopes.name_scope(name, "case", [branch_index]):
        return indexed_case(branch_index, actions)


def _checked(branch_fns: Any, default: Any, branch_index: Any) -> list[Callable[[], Any]]:
    """The functions in the order of their indices, the default last."""
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"branch_index must a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"branch_index must an integer Tensor, got {branch_index.dtype}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in branch_fns")
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError("branch_fns must be a list, tuple, or dict")
    pairs: Any = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    if all(callable(each) for each in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in branch_fns must be a 2-tuple")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    by_index = dict(pairs)
    keys = [key for key, _ in pairs]
    if min(keys) < 0 or max(keys) >= len(keys) or len(by_index) != len(keys):
        found = ",".join(map(str, sorted(keys)))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found "
            f"{{{found}}}"
        )
    actions = [by_index[key] for key in sorted(keys)]
    return actions if default is None else [*actions, default]

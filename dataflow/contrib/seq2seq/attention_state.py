"""AttentionWrapperState: what an attending cell carries from step to step."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_equal
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.identity import identity
from dataflow.values import nest


class _AttentionWrapperState(NamedTuple):
    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any


class AttentionWrapperState(_AttentionWrapperState):
    """State of an `AttentionWrapper`.

    `cell_state` is the wrapped cell's, `attention` what was last seen of the memory, `time` the
    number of the step (int32), `alignments` those last emitted, `alignment_history` a TensorArray
    of all of them or (), `attention_state` the mechanism's state. With several mechanisms the last
    three are tuples.
    """

    __slots__ = ()

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The state with other values in some fields, which must have the shapes of the old ones.

        Args:
          **kwargs: Field -> value.

        Raises:
          ValueError: Structures or shapes differ.
        """
        replaced = self._replace(**kwargs)
        return nest.map_structure(_like, self, replaced)  # type: ignore[no-any-return]


def _like(old: Any, new: Any) -> Any:
    """The new value, whose shape is looked at if both are tensors."""
    if not (isinstance(old, Tensor) and isinstance(new, Tensor)):
        return new
    if not old.shape.is_compatible_with(new.shape):
        raise ValueError(f"Shapes {old.shape} and {new.shape} are incompatible")
    if old.shape.is_fully_defined() and new.shape.is_fully_defined():
        return new
    with control_dependencies([assert_equal(shape(old), shape(new))]):
        checked = identity(new)
    checked.set_shape(old.shape)
    return checked

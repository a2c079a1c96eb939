"""Several objects of a checkpoint that are saved and restored together, by functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dataflow.graph.scopes import device as device_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.basic.identity import no_op
from dataflow.saving.saveables import VARIABLE_VALUE_KEY
from dataflow.variables.tracked import Trackable

Tensors = dict[str, Any]


def split_dependency(
    component_names: Sequence[str],
    component_dtypes: Sequence[Any],
    fill_save_buffer_fn: Callable[[Tensors], Any],
    consume_restore_buffer_fn: Callable[[Tensors], Any],
    device: Any,
) -> dict[str, Any]:
    """Objects that checkpoints hold as variables; they are to be saved and restored together.

    Args:
      component_names: The names of n objects.
      component_dtypes: n element types.
      fill_save_buffer_fn: Puts into a dictionary what is saved, by these names.
      consume_restore_buffer_fn: Makes an operation of what is restored, by these names.
      device: Where it is saved and restored.

    Returns:
      The objects by name.
    """
    saved: Tensors = {}
    restored: Tensors = {}

    def value_of(name: str) -> Any:
        if name not in saved:
            if saved:
                raise _apart(name, "saved")
            fill_save_buffer_fn(saved)
        return saved.pop(name)

    def restore(name: str, tensor: Tensor) -> Any:
        if name in restored:
            raise _apart(name, "restored")
        restored[name] = tensor
        if len(restored) < len(component_names):
            return no_op()
        whole = dict(restored)
        restored.clear()
        return consume_restore_buffer_fn(whole)

    return {
        name: _Part(partial(value_of, name), partial(restore, name), dtype, device)
        for name, dtype in zip(component_names, component_dtypes, strict=True)
    }


def _apart(name: str, how: str) -> AssertionError:
    return AssertionError(
        f"Split dependency {name} unsynchronized. Split dependencies must be {how} together."
    )


class _Part(Trackable):
    """One of the objects."""

    def __init__(
        self,
        value_of: Callable[[], Any],
        restore: Callable[[Tensor], Any],
        dtype: Any,
        device: Any,
    ) -> None:
        self._value_of = value_of
        self._restore = restore
        self._dtype = dtype
        self._device = device

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: self._saveable}

    def _saveable(self, name: str) -> SaveableObject:
        spec = SaveSpec(self._value_of, "", name, dtype=self._dtype, device=self._device)
        return _Saveable(self._value_of, spec, name, self._restore)


class _Saveable(SaveableObject):
    """Its value, which is made when it is asked for."""

    def __init__(
        self, op: Any, spec: SaveSpec, name: str, restore: Callable[[Tensor], Any]
    ) -> None:
        self._restore = restore
        super().__init__(op, [spec], name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        """An operation that takes the value, once all of the objects have theirs."""
        (tensor,) = restored_tensors
        with device_scope(self.device):
            return self._restore(tensor)

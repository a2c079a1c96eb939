"""What a checkpoint may hold beside variables: objects that say what of them is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.tensor import Tensor


class SaveSpec:
    """One tensor of an object under its name in a checkpoint."""

    def __init__(
        self,
        tensor: Any,
        slice_spec: str,
        name: str,
        dtype: Any = None,
        device: str | None = None,
    ) -> None:
        """Describes a tensor.

        Args:
          tensor: A tensor or variable that is saved, or a function that makes a tensor.
          slice_spec: Which part of a larger tensor it is, as `SaveSliceInfo.spec`; or "".
          name: Its name in the checkpoint.
          dtype: Its type; must be given with a function.
          device: Where it is; must be given with a function.

        Raises:
          AssertionError: A function comes without type and device.
        """
        is_made = callable(tensor)
        if is_made and (dtype is None or device is None):
            raise AssertionError(
                "When passing a callable `tensor` to a SaveSpec, an explicit dtype and device "
                "must be provided."
            )
        self._tensor = tensor
        self._is_made = is_made
        self.slice_spec = slice_spec
        self.name = name
        self.dtype: Any = tensor.dtype if dtype is None else dtype
        self.device: str = tensor.device if device is None else device

    @property
    def tensor(self) -> Tensor:
        """What is saved."""
        tensor: Tensor = self._tensor() if self._is_made else self._tensor
        return tensor


class SaveableObject:
    """Something with tensors that can be saved, and that can be restored from them."""

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        """Wraps an object.

        Args:
          op: What makes the tensors.
          specs: What is saved, all on one device.
          name: Name of the whole.
        """
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def device(self) -> str:
        """The device of the tensors."""
        return self.specs[0].device

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        """An operation that gives the object what was saved.

        Args:
          restored_tensors: A tensor for each of `specs`.
          restored_shapes: The shapes they must be given, or None.

        Raises:
          ValueError: This class does not say how.
        """
        raise ValueError("Calling an abstract method.")

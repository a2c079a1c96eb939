"""Objects of Python's that checkpoints hold as strings which the objects make themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.graph.tensor import Tensor
from dataflow.library.py_func import numpy_function
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.values import dtypes


class PythonState(ABC):
    """The base of objects whose state is no variable, and is saved with the variables."""

    @abstractmethod
    def serialize(self) -> bytes:
        """The state as a string; called whenever a checkpoint is written."""

    @abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes on the state that a string holds."""

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"py_state": lambda name: PythonStateSaveable(self, name)}


class PythonStateSaveable(SaveableObject):
    """The state of such an object, asked for in the step that saves it."""

    def __init__(self, state: PythonState, name: str) -> None:
        """Wraps an object under its key in checkpoints."""
        self._state = state
        text = numpy_function(self._serialized, [], dtypes.string, name="serialize")
        super().__init__(text, [SaveSpec(text, "", name)], name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        """An operation that gives the object its state."""
        return numpy_function(self._restored, [restored_tensors[0]], [], name="deserialize")

    def _serialized(self) -> Any:
        return np.array(self._state.serialize(), object)

    def _restored(self, text: Any) -> None:
        self._state.deserialize(bytes(text))

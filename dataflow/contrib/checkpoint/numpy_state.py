"""Arrays of numpy's that checkpoints of objects hold, and make again."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from dataflow.errors import DataLossError
from dataflow.saving.checkpoint.python_state import PythonState
from dataflow.variables.tracked import Trackable


class NumpyState(Trackable):
    """An object whose attributes are arrays, saved with the variables.

    What a checkpoint has of it is there as soon as the checkpoint is restored, attributes that the
    object did not have among it.
    """

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        return self._track_trackable(_Array(np.array([])), name) if found is None else found

    def __getattr__(self, name: str) -> Any:
        found = vars(self).get("_self_tracked", {}).get(name)
        if found is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return found.array

    def __setattr__(self, name: str, value: Any) -> None:
        """Keeps an array.

        Raises:
          NotImplementedError: It is something else.
        """
        if not isinstance(value, (np.ndarray, np.generic)):
            raise NotImplementedError(
                f"Assigned {value} to the {name} property of {self}, which is not a NumPy array. "
                "Currently mixing NumPy arrays and other trackable objects is not supported. File "
                "a feature request if this limitation bothers you."
            )
        known = super()._lookup_dependency(name)
        if known is None:
            self._track_trackable(_Array(value), name)
        else:
            known.array = value


class _Array(PythonState):
    """One of its arrays."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def serialize(self) -> bytes:
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        try:
            self.array = np.load(io.BytesIO(string_value), allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            raise DataLossError(
                None, None, f"A checkpoint's array is none of numpy's: {error}"
            ) from None

"""Tensors that one session keeps on one device between its steps, under the text of a handle."""

from __future__ import annotations

import itertools
import threading
from typing import Any

from dataflow.kernels.contract.invalid import invalid


class SessionTensors:
    """The tensors of a session and device. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._values: dict[bytes, Any] = {}

    def keep(self, node: str, device: str, value: Any) -> bytes:
        """Keeps a value that nobody writes to; returns its handle, "node;number;device"."""
        with self._lock:
            handle = f"{node};{next(self._numbers)};{device}".encode()
            self._values[handle] = value
        return handle

    def get(self, handle: bytes) -> Any:
        """The value of a handle.

        Raises:
          InvalidArgumentError: There is none.
        """
        try:
            return self._values[handle]
        except KeyError:
            raise invalid(
                f"The tensor with handle '{handle.decode(errors='backslashreplace')}' is not in "
                "the session store."
            ) from None

    def delete(self, handle: bytes) -> None:
        """Forgets a value.

        Raises:
          InvalidArgumentError: There is none.
        """
        with self._lock:
            known = self._values.pop(handle, self) is not self
        if not known:
            raise invalid(
                "Failed to delete a tensor with handle "
                f"'{handle.decode(errors='backslashreplace')}' in the session store."
            )

    def __len__(self) -> int:
        """How many there are."""
        return len(self._values)

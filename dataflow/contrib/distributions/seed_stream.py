"""SeedStream: many seeds of one."""

from __future__ import annotations

import hashlib
from typing import Any


class SeedStream:
    """Gives another seed at each call, the same ones for the same seed and salt."""

    def __init__(self, seed: Any, salt: str) -> None:
        """Takes the seed, or another stream's, or None for seeds that are None; and what sets it
        apart from other streams of the seed."""
        self._seed = seed.original_seed if isinstance(seed, SeedStream) else seed
        self._salt = salt
        self._counter = 0

    def __call__(self) -> int | None:
        """The next seed."""
        self._counter += 1
        if self._seed is None:
            return None
        text = str((self._seed, self._counter, self._salt))
        return int(hashlib.sha512(text.encode()).hexdigest(), 16)

    @property
    def original_seed(self) -> Any:
        """The seed."""
        return self._seed

    @property
    def salt(self) -> str:
        """What sets it apart."""
        return self._salt

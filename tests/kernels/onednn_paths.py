"""Running something with oneDNN and without it, in one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dataflow.kernels.onednn import library


@contextmanager
def switched_off() -> Iterator[None]:
    """TensorFlow's variable says 0; afterwards oneDNN is there again, if it was."""
    with looked_for_again() as patch:
        patch.setenv(library.SWITCH, "0")
        yield


@contextmanager
def looked_for_again() -> Iterator[pytest.MonkeyPatch]:
    """oneDNN is looked for anew when it is next asked for, here and afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        _forget()
        yield patch
    _forget()


def _forget() -> None:
    library.find.cache_clear()
    library._find_once.cache_clear()

"""Which inputs cannot change while a plan lives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.contract.parameters import is_fixed


def _array(writeable: bool) -> np.ndarray:
    made = np.arange(3)
    made.flags.writeable = writeable
    return made


@pytest.mark.parametrize(
    ("value", "fixed"),
    [(_array(True), False), (_array(False), True), (np.int32(3), True), (np.float32(0), True)],
)
def test_is_fixed(value: Any, fixed: bool) -> None:
    assert is_fixed(value) is fixed

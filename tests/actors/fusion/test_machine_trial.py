"""A machine that gets a whole program wrong is not used, though each instruction alone is right."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numexpr
import numpy as np
import pytest

from dataflow.actors.fusion.small.machine import LARGEST, machine

_REAL = numexpr.interpreter


def _interpreter(spoil: Callable[[np.ndarray], Any], block: int = LARGEST) -> Any:
    """numexpr's, where what programs with constants give is spoilt."""

    def make(operands: bytes, temporaries: bytes, words: bytes, constants: Any) -> Any:
        run = _REAL.NumExpr(operands, temporaries, words, constants)
        return (lambda *arrays: spoil(run(*arrays))) if constants else run

    return SimpleNamespace(
        NumExpr=make,
        opcodes=_REAL.opcodes,
        funccodes=_REAL.funccodes,
        __BLOCK_SIZE1__=block,
    )


def _refuse(made: np.ndarray) -> Any:
    raise RuntimeError("no such program")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda made: made + np.float32(1),
        lambda made: made.astype(np.float64),
        lambda made: made[:],
        _refuse,
    ],
    ids=["value", "dtype", "view", "error"],
)
def test_a_spoilt_machine(monkeypatch: pytest.MonkeyPatch, spoil: Any) -> None:
    monkeypatch.setattr(numexpr, "interpreter", _interpreter(spoil))
    assert machine.__wrapped__() is None


def test_a_machine_of_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs would run on threads of its own."""
    monkeypatch.setattr(numexpr, "interpreter", _interpreter(lambda made: made, LARGEST - 1))
    assert machine.__wrapped__() is None


def test_a_right_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numexpr, "interpreter", _interpreter(lambda made: made))
    assert machine.__wrapped__() is not None

"""The benchmark programs compute the same here and in TensorFlow: results and trained variables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow

_FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def _programs() -> Any:
    sys.path.insert(0, str(_FOLDER))
    try:
        import programs
    finally:
        sys.path.remove(str(_FOLDER))
    return programs.PROGRAMS


_STEPS = 4
"""After two steps a plan is cut anew and its code is generated; both kinds are compared."""

_ROUNDING = 1e-4
"""Adam divides a gradient by its size: the rounding of one near 0 shows in steps of up to 1e-3."""


def _run(library: Any, program: Any) -> tuple[list[Any], list[Any]]:
    with library.Graph().as_default() as graph, library.Session(graph=graph) as session:
        step = program.build(library, session)
        results = [step() for _ in range(_STEPS)]
        return results, session.run(library.trainable_variables())


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    return [value]


@pytest.fixture(autouse=True, scope="module")
def _graph_mode() -> None:
    oracle.disable_v2_behavior()


@pytest.mark.parametrize("program", _programs(), ids=lambda program: program.name)
def test_program_computes_what_tensorflow_does(program: Any) -> None:
    ours, theirs = (_run(library, program) for library in (dataflow, oracle))
    pairs = list(zip(_flat(list(ours)), _flat(list(theirs)), strict=True))
    assert pairs
    for mine, wanted in pairs:
        if wanted is None:
            assert mine is None
            continue
        assert np.asarray(mine).dtype == wanted.dtype
        scale = max(1.0, float(np.abs(wanted).max(initial=0)))
        np.testing.assert_allclose(mine, wanted, rtol=1e-3, atol=_ROUNDING * scale)

"""The benchmark programs compute the same here and in TensorFlow: results and trained variables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from tests.oracle import open_session

_FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def _programs() -> Any:
    sys.path.insert(0, str(_FOLDER))
    try:
        import programs.table as programs
    finally:
        sys.path.remove(str(_FOLDER))
    return programs.PROGRAMS


_LARGE = ("chain of 5000", "500 chains", "encoder of 12 layers")
"""Programs that run where there is time: CI has their like with fewer nodes."""


def _rows() -> Iterator[Any]:
    for program in _programs():
        marks = [pytest.mark.long] * program.name.startswith(_LARGE)
        yield pytest.param(program, id=program.name, marks=marks)


_STEPS = 4
"""After two steps a plan is cut anew and its code is generated; both kinds are compared."""

_MOVEMENT = 0.02
"""How far apart variables may end, of the way they went. Adam divides a gradient by its size, so in
a few elements the rounding of one near 0 grows to whole steps."""


def _run(library: Any, program: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Results of the steps, and the trained variables before and after them."""
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        step = program.build(library, session)
        variables = library.trainable_variables()
        before = session.run(variables)
        results = [step() for _ in range(_STEPS)]
        return results, before, session.run(variables)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    return [value]


@pytest.fixture(autouse=True, scope="module")
def _graph_mode() -> None:
    oracle.disable_v2_behavior()


# What TensorFlow says of its own cells.
@pytest.mark.filterwarnings("ignore:.*is deprecated and:UserWarning")
@pytest.mark.parametrize("program", list(_rows()))
def test_program_computes_what_tensorflow_does(program: Any) -> None:
    ours, our_start, our_end = _run(dataflow, program)
    theirs, start, end = _run(oracle, program)
    results = list(zip(_flat(ours), _flat(theirs), strict=True))
    assert results
    for mine, wanted in results:
        if wanted is None:
            assert mine is None
            continue
        assert np.asarray(mine).dtype == wanted.dtype
        scale = max(1.0, float(np.abs(wanted).max(initial=0)))
        np.testing.assert_allclose(mine, wanted, rtol=1e-3, atol=2e-5 * scale)
    assert len(our_end) == len(end)
    for our_first, first, mine, wanted in zip(our_start, start, our_end, end, strict=True):
        np.testing.assert_array_equal(our_first, first)
        way = np.linalg.norm(np.ravel(wanted - first))
        apart = np.linalg.norm(np.ravel(mine - wanted))
        # The gradient of a bias in front of a normalization is 0 but for rounding.
        assert apart <= _MOVEMENT * way + 1e-6 * max(1.0, np.linalg.norm(np.ravel(wanted)))

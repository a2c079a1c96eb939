"""The operators of the survey compute the same here and in TensorFlow, at their full size."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from tests.benchmarks.folder import FOLDER, load
from tests.oracle import open_session

_STEPS = 4
"""After two steps a plan is cut anew and its code is generated."""


@pytest.fixture(autouse=True, scope="module")
def _graph_mode() -> None:
    oracle.disable_v2_behavior()


def _operators() -> Any:
    operators = load("operators")
    return (*operators.MATH, *operators.ARRAYS, *operators.NETS, *operators.GROUPS)


def _values(library: Any, operator: Any, steps: int) -> list[Any]:
    """The operator's value, and its gradients."""
    random = np.random.default_rng(0)
    arrays = [make(random) for make in operator.operands]
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        tensors = [library.placeholder(library.as_dtype(a.dtype), a.shape) for a in arrays]
        found = [operator.build(library, *tensors)]
        if operator.differentiable:
            found += load("survey.program").slopes_of(operator, library, tensors)
        for _ in range(steps):
            made: list[Any] = session.run(found, dict(zip(tensors, arrays, strict=True)))
    return made


_IN_TURN = 3
"""One in so many operators runs each time; the others by command, as all ops have rows."""


def _in_turn() -> list[Any]:
    return [
        pytest.param(each, id=each.name, marks=[pytest.mark.long] * bool(number % _IN_TURN))
        for number, each in enumerate(_operators())
    ]


@pytest.mark.parametrize("operator", _in_turn())
def test_an_operator_computes_what_tensorflow_does(operator: Any) -> None:
    ours, theirs = _values(dataflow, operator, _STEPS), _values(oracle, operator, 1)
    for mine, wanted in zip(ours, theirs, strict=True):
        assert mine.dtype == wanted.dtype and mine.shape == wanted.shape
        if operator.random:
            continue
        scale = max(1.0, float(np.abs(wanted).max(initial=0)))
        np.testing.assert_allclose(mine, wanted, rtol=1e-3, atol=2e-5 * scale)


@pytest.mark.parametrize(("error", "is_close"), [(1e-2, True), (1.0, False)])
def test_the_survey_refuses_other_values(error: float, is_close: bool) -> None:
    check, wanted = load("operators").check_close, np.array([1000.0, 0.0])
    check([None, wanted], [None, wanted])
    if is_close:
        check([wanted + error], [wanted])
    else:
        with pytest.raises(ValueError, match="results differ"):
            check([wanted + error], [wanted])


@pytest.mark.parametrize(
    ("options", "clock"), [((), time.perf_counter), (("--processor",), time.process_time)]
)
def test_steps_are_timed_by_the_clock_that_is_asked_for(options: Any, clock: Any) -> None:
    @click.command()
    @load("local").PROCESSOR
    def command(clock: Any) -> Any:
        return clock

    assert command.main(options, standalone_mode=False) is clock


@pytest.mark.long
def test_the_survey_prints_and_writes_what_it_measured(tmp_path: Path) -> None:
    output = tmp_path / "operators.json"
    command = [sys.executable, str(FOLDER / "operators.py"), "--only", "highway", "--above", "0"]
    command += ["--rounds", "2", "--seconds", "0.001", "--output", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert "2 operators, " in done.stdout and "highway layer, gradient" in done.stdout
    content = json.loads(output.read_text())
    assert {row["name"] for row in content["rows"]} == {"highway layer", "highway layer, gradient"}
    assert all(row["ours"] > 0 and row["ratio"] > 0 for row in content["rows"])
    assert content["failures"] == [] and content["machine"]["cores"]

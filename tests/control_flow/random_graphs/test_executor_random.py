"""Random graphs of Switch and Merge: what is alive, and its value, as TensorFlow has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow.python.ops import gen_control_flow_ops as flow

from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.primitives import assert_same
from tests.session.both import oracle

_PREDS = 3


@dataclass(frozen=True)
class Step:
    """One node: its op, the numbers of the values it uses, and of those it waits for."""

    op: str
    inputs: tuple[int, ...]
    controls: tuple[int, ...] = ()
    pred: int = 0


@dataclass
class Recipe:
    """A graph over two fed numbers, with what each of its values must be; None is dead."""

    preds: tuple[bool, ...]
    steps: list[Step] = field(default_factory=list)
    values: list[np.float32 | None] = field(default_factory=lambda: [_f(2.0), _f(-3.0)])

    def add(self, step: Step) -> None:
        """Appends a node and evaluates it."""
        self.steps.append(step)
        inputs = [self.values[i] for i in step.inputs]
        waits = [self.values[i] for i in step.controls]
        dead = any(v is None for v in (*inputs, *waits))
        if step.op == "switch":
            (data,) = inputs
            taken = self.preds[step.pred]
            self.values += [None if dead or on != taken else data for on in (False, True)]
        elif step.op == "merge":
            alive = [v for v in inputs if v is not None]
            self.values.append(alive[0] if alive else None)
        elif step.op == "trigger":
            self.values.append(inputs[0])
        elif step.op == "negative":
            self.values.append(None if dead else _f(-inputs[0]))  # type: ignore[operator]
        else:
            self.values.append(None if dead else _f(inputs[0] + inputs[1]))  # type: ignore[operator]


def _f(value: Any) -> np.float32:
    return np.float32(value)


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Graphs in which no Merge has two live inputs: which comes first would be chance."""
    recipe = Recipe(tuple(draw(st.lists(st.booleans(), min_size=_PREDS, max_size=_PREDS))))
    for _ in range(draw(st.integers(3, 14))):
        numbers = st.integers(0, len(recipe.values) - 1)
        op = draw(st.sampled_from(["switch", "switch", "merge", "negative", "add", "trigger"]))
        controls = tuple(draw(st.lists(numbers, max_size=2, unique=True)))
        count = {"add": 2, "merge": draw(st.integers(1, 3))}.get(op, 1)
        inputs = [draw(numbers) for _ in range(count)]
        if op == "merge":
            alive = [i for i in inputs if recipe.values[i] is not None]
            inputs = [i for i in inputs if i not in alive[1:] or i == alive[0]]
            inputs = [i for n, i in enumerate(inputs) if i not in inputs[:n]]
        recipe.add(Step(op, tuple(inputs), controls, draw(st.integers(0, _PREDS - 1))))
    return recipe


def _build(recipe: Recipe) -> tuple[list[Any], list[Any]]:
    fed = [oracle.placeholder(oracle.float32) for _ in range(2)]
    preds = [oracle.placeholder(oracle.bool) for _ in range(_PREDS)]
    values: list[Any] = [oracle.identity(v) for v in fed]
    for step in recipe.steps:
        inputs = [values[i] for i in step.inputs]
        with oracle.control_dependencies([values[i] for i in step.controls]):
            if step.op == "switch":
                # Its outputs carry order too: from a Switch itself it is always alive.
                values += map(oracle.negative, flow.switch(-inputs[0], preds[step.pred]))
            elif step.op == "merge":
                values.append(flow.merge(inputs).output)
            elif step.op == "trigger":
                trigger = flow.control_trigger()
                with (
                    oracle.control_dependencies(None),
                    oracle.control_dependencies([trigger]),
                ):
                    values.append(oracle.exp(inputs[0]) * 0.0 + inputs[0])
            elif step.op == "negative":
                values.append(-inputs[0])
            else:
                values.append(inputs[0] + inputs[1])
    return values, [*fed, *preds]


@settings(max_examples=30)
@given(recipes(), st.sampled_from(PATHS))
def test_what_is_alive_is_tensorflows(recipe: Recipe, path: str) -> None:
    feeds = [(2.0, -3.0, *recipe.preds)]
    ours = assert_same(lambda: _build(recipe), feeds, ControlFlowPath(path), one_by_one=True)
    dead = ("InvalidArgumentError", "Retval[0] does not have value")
    for value, outcome in zip(recipe.values, ours, strict=True):
        alive = [("array", "float32", (), repr(float(value or 0)))]
        assert outcome == (dead if value is None else alive)

"""Builds programs in either library, runs their steps, and compares what comes out."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.ops.conformance import assert_same
from tests.ops.knowledge import STATIC, Knowledge
from tests.ops.program import ALIKE, Inputs, Program, Step
from tests.oracle import open_session
from tests.words import as_in_tensorflow_1

oracle.disable_v2_behavior()


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A program in the graph of one library, with steps that name what they fetch and feed."""

    library: Any
    graph: Any
    steps: Mapping[str, Sequence[Step]]
    """Steps by element type, as the program gives them."""
    inputs: Mapping[str, Inputs]

    def named(self, dtype: str) -> list[Step]:
        """The steps of an element type with names for fetches and for what is fed."""
        return [
            Step(
                tuple(_element(self.graph, fetch).name for fetch in step.fetches),
                {_element(self.graph, t).name: value for t, value in step.feeds.items()},
                step.session,
                step.error,
                step.text,
                step.runs,
                step.refusal,
            )
            for step in self.steps[dtype]
        ]

    def shapes(self, dtype: str) -> list[list[str]]:
        """The static types and shapes of what each step fetches, as text."""
        found = []
        for step in self.steps[dtype]:
            elements = [_element(self.graph, fetch) for fetch in step.fetches]
            tensors = [e for e in elements if hasattr(e, "dtype")]
            found.append([f"{t.dtype.name} {t.shape}" for t in tensors])
        return found


def _element(graph: Any, fetch: Any) -> Any:
    return graph.as_graph_element(fetch)


def record(
    library: Any, program: Program, dtypes: Sequence[str], knowledge: Knowledge = STATIC
) -> Recorded:
    """Builds a program for some element types, side by side in one graph."""
    steps, inputs = {}, {}
    with library.Graph().as_default() as graph:
        library.set_random_seed(7)
        for dtype in dtypes:
            with library.name_scope(dtype):
                inputs[dtype] = Inputs(library, dtype, knowledge)
                steps[dtype] = list(program.build(library, inputs[dtype]))
    return Recorded(library, graph, steps, inputs)


Outcomes = dict[str, list[Any]]
"""By element type, what each step gives: a list of values, or the error it fails with."""


def play(
    library: Any, graph: Any, steps: Mapping[str, Sequence[Step]], program: Program
) -> Outcomes:
    """Runs named steps in sessions of a graph. Steps that do not fail are run of all types at once:
    a step costs more than an op."""
    outcomes: Outcomes = {dtype: [] for dtype in steps}
    with ExitStack() as opened:
        sessions: dict[str, Any] = {}

        def session(name: str) -> Any:
            if name not in sessions:
                made = open_session(library, graph, device_count={"CPU": program.cpus})
                sessions[name] = opened.enter_context(made)
            return sessions[name]

        for index in range(max(map(len, steps.values()))):
            current = {d: each[index] for d, each in steps.items() if index < len(each)}
            together: dict[str, dict[str, Step]] = {}
            for dtype, step in current.items():
                if not step.runs:
                    outcomes[dtype].append(None)
                elif step.error:
                    outcomes[dtype].append(step.refusal or _failure(library, session, step))
                else:
                    together.setdefault(step.session, {})[dtype] = step
            for name, group in together.items():
                fetches = {dtype: list(step.fetches) for dtype, step in group.items()}
                feeds = {k: v for step in group.values() for k, v in step.feeds.items()}
                for dtype, values in session(name).run(fetches, feeds).items():
                    outcomes[dtype].append(values)
    return outcomes


def _failure(library: Any, session: Any, step: Step) -> Any:
    try:
        return session(step.session).run(list(step.fetches), dict(step.feeds))
    except Exception as error:
        return error


def play_recorded(recorded: Recorded, program: Program) -> Outcomes:
    """What a program's steps give in the library that built it."""
    steps = {dtype: recorded.named(dtype) for dtype in recorded.steps}
    return play(recorded.library, recorded.graph, steps, program)


def cross_over(recorded: Recorded, runner: Any, program: Program, dtype: str) -> list[Any]:
    """What the steps give in the other library, which gets the graph as a GraphDef."""
    graph_def = runner.GraphDef()
    graph_def.ParseFromString(recorded.graph.as_graph_def().SerializeToString())
    with runner.Graph().as_default() as graph:
        runner.import_graph_def(graph_def, name="")
    return play(runner, graph, {dtype: recorded.named(dtype)}, program)[dtype]


@functools.lru_cache(maxsize=8)
def expected_record(program: Program) -> Recorded:
    """The program as TensorFlow builds it."""
    return record(oracle, program, program.dtypes)


@functools.lru_cache(maxsize=8)
def own_record(program: Program) -> Recorded:
    """The program as this library builds it. Run it once: what it writes to files stays."""
    return record(tf, program, program.dtypes)


@functools.lru_cache(maxsize=8)
def expected_outcomes(program: Program) -> Outcomes:
    """What the program's steps give in TensorFlow."""
    return play_recorded(expected_record(program), program)


def assert_same_outcomes(
    program: Program,
    dtype: str,
    steps: Sequence[Step],
    expected: Sequence[Any],
    actual: Sequence[Any],
) -> None:
    """Fails unless each step gives the same values, or fails with the error that it names."""
    assert len(actual) == len(expected) == len(steps)
    for index, (step, want, have) in enumerate(zip(steps, expected, actual, strict=True)):
        where = f"{program.id} {dtype} step {index}"
        if not step.runs:
            continue
        if step.error:
            for library, outcome in (("TensorFlow", want), ("here", have)):
                assert isinstance(outcome, Exception), f"{where}: {library} gives {outcome}"
                if step.error == ALIKE:
                    continue
                assert type(outcome).__name__ == step.error, f"{where} {library}: {outcome!r}"
                assert re.search(step.text, getattr(outcome, "message", str(outcome))), (
                    f"{where} {library}: {outcome!r}"
                )
            if step.error == ALIKE:
                assert type(have).__name__ == type(want).__name__, f"{where}: {have!r} {want!r}"
                assert error_text(have) == error_text(want), where
            continue
        assert [v is None for v in have] == [v is None for v in want], where
        values = [[v for v in each if v is not None] for each in (want, have)]
        assert_same(program, dtype, *values, where=where)


def error_text(error: Any) -> str:
    """What went wrong in TensorFlow 1's words, without where, and without numbers that count what a
    process has made."""
    lines = [
        line
        for line in getattr(error, "message", str(error)).split("\n")
        if line.strip()
        and not line.startswith(("Graph execution", "Detected at", "Node:", "  ", "\t"))
    ]
    return as_in_tensorflow_1(re.sub(r"([A-Za-z]\w*?)_\d+\b", r"\1_N", lines[0]).strip())


def numeric_slopes(program: Program) -> list[tuple[str, Any, np.ndarray]]:
    """For each gradient of each step that has some: where, the gradient, and its finite
    differences."""
    recorded = record(tf, program, ["float64"])
    inputs = recorded.inputs["float64"]
    found = []
    with open_session(tf, recorded.graph, device_count={"CPU": program.cpus}) as session:
        for index, step in enumerate(recorded.steps["float64"]):
            if step.error or not step.runs:
                continue
            values = iter(session.run(list(step.fetches), dict(step.feeds)))
            for number, (source, present) in enumerate(
                zip(step.sources, step.present, strict=True)
            ):
                slope = _differences(session, step.loss, source, inputs)
                gradient = next(values) if present else np.zeros_like(slope)
                found.append((f"step {index} source {number}", gradient, slope))
    return found


def _differences(session: Any, loss: Any, source: Any, inputs: Inputs) -> np.ndarray:
    """Central differences of a loss. A variable is changed by initializing it anew."""
    initials = [initial for variable, initial in inputs.variables if variable is source]
    tensor = initials[0] if initials else source
    value = next(array for each, array in inputs.values if each is tensor).copy()

    def loss_at() -> float:
        for variable, _ in inputs.variables:
            if variable is source:
                session.run(variable.initializer, {tensor: value})
        return float(session.run(loss, None if initials else {tensor: value}))

    slope = np.zeros_like(value)
    for place in np.ndindex(*value.shape):
        kept = value[place]
        ends = []
        for sign in (1, -1):
            value[place] = kept + sign * 1e-6
            ends.append(loss_at())
        value[place] = kept
        slope[place] = (ends[0] - ends[1]) / 2e-6
    loss_at()
    return slope


MADE_BY_THE_EXECUTOR = {"_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv"}
"""What no graph has: their programs do not run without them."""


def not_shown(program: Program, recorded: Recorded) -> set[str]:
    """The ops that a program is for and does not have; if it is one of gradients, does not have
    on the way from a source to a loss."""
    found = types_in(recorded.graph)
    if program.gradients:
        steps = [step for step in recorded.steps[program.dtypes[0]] if step.sources]
        found = set().union(*(types_between(step.loss, step.sources) for step in steps))
    return set(program.ops.split()) - found - MADE_BY_THE_EXECUTOR


def types_in(graph: Any) -> set[str]:
    """The types of the ops of a graph and of its functions."""
    nodes = graph.as_graph_def()
    bodies = [function.node_def for function in nodes.library.function]
    return {node.op for part in (nodes.node, *bodies) for node in part}


def types_between(loss: Any, sources: Sequence[Any]) -> set[str]:
    """The types of the ops on the ways from sources to a loss."""
    behind = _reached([loss.op], lambda op: [t.op for t in op.inputs])
    starts = [_element(loss.graph, source) for source in sources]
    handles = [getattr(source, "handle", None) for source in sources]
    first = [t for t in (*starts, *handles) if t is not None]
    if not first:
        return set()
    users = [c for t in first for c in t.consumers()]
    ahead = _reached(users, lambda op: [c for t in op.outputs for c in t.consumers()])
    return {op.type for op in behind & ahead}


def _reached(ops: Sequence[Any], following: Any) -> set[Any]:
    found: set[Any] = set()
    left = list(ops)
    while left:
        op = left.pop()
        if op not in found:
            found.add(op)
            left += following(op)
    return found

"""Compares what programs with control flow make and compute in TensorFlow and here."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle
from tensorflow.core.protobuf import control_flow_pb2

import dataflow as tf
from tests.differentiation.both import assert_same_value, described, flatten, refusal
from tests.oracle import open_session, run_all
from tests.words import as_in_tensorflow_1

Program = Callable[[Any], Any]
"""`f(library)` builds into the default graph and returns what is to be compared."""

SIGNS = (1.0, -1.0)
"""Programs run once with positive and once with negative feeds, to take both ways."""

_CONTEXTS = {
    "cond_context": control_flow_pb2.CondContextDef,
    "while_context": control_flow_pb2.WhileContextDef,
}


def programs_of(module: dict[str, Any], *helpers: str) -> list[Program]:
    """The public functions a module defines, without its helpers."""
    return [
        value
        for name, value in module.items()
        if callable(value)
        and getattr(value, "__module__", "") == module["__name__"]
        and not name.startswith("_")
        and name not in helpers
        and not isinstance(value, type)
    ]


def assert_same(program: Program, open_session: Callable[[Any], Any]) -> None:
    """Fails unless both libraries make the same nodes, and compute the same of them, or fail with
    the same error."""
    theirs, expected = _of_the_oracle(program)
    ours, actual = _played(tf, program, open_session)
    assert "\n".join(ours) == "\n".join(theirs)
    _compare(actual, expected)


def assert_same_values(program: Program, open_session: Callable[[Any], Any]) -> None:
    """Fails unless both libraries compute the same, or fail with the same error."""
    _compare(_played(tf, program, open_session)[1], _of_the_oracle(program)[1])


def _compare(actual: list[Any], expected: list[Any]) -> None:
    assert len(actual) == len(expected)
    for have, want in zip(actual, expected, strict=True):
        if isinstance(want, Exception) or isinstance(have, Exception):
            assert type(have).__name__ == type(want).__name__, (have, want)
            assert first_line(have) == first_line(want)
        else:
            assert_same_value(have, want)


@functools.cache
def _of_the_oracle(program: Program) -> tuple[list[str], list[Any]]:
    """What TensorFlow makes and computes: the same, whichever way it is compared with."""
    nodes, found = _played(oracle, program, _oracle_session)
    if any(isinstance(value, Exception) for value in found):
        # Which of several nodes an error names may depend on the order that optimizing leaves.
        config = oracle.ConfigProto(device_count={"CPU": 2})
        _, found = _played(
            oracle, program, lambda graph: oracle.Session(graph=graph, config=config)
        )
    return nodes, found


def _oracle_session(graph: Any) -> Any:
    return open_session(oracle, graph, device_count={"CPU": 2})


def _played(
    library: Any, program: Program, open_session: Callable[[Any], Any]
) -> tuple[list[str], list[Any]]:
    """The nodes of a program, as text, and the values of what it returns."""
    with library.Graph().as_default() as graph:
        fetches = flatten(program(library))
        nodes = described(graph.as_graph_def().SerializeToString())
        found = []
        with open_session(graph) as session:
            for sign in SIGNS:
                if graph.get_collection("variables"):
                    session.run(library.global_variables_initializer())
                feeds = _feeds(graph, sign)
                run = functools.partial(_run, library, session, feeds)
                found += run_all(library, session, fetches, feeds, run)
    return nodes, found


def _run(library: Any, session: Any, feeds: Any, fetch: Any) -> Any:
    try:
        return session.run(fetch, feeds)
    except library.errors.OpError as error:
        return error


def _feeds(graph: Any, sign: float) -> dict[Any, np.ndarray]:
    feeds = {}
    for op in graph.get_operations():
        if op.type == "Placeholder" and not op.name.startswith(("imp/", "while/imp", "cond/imp")):
            tensor = op.outputs[0]
            shape = [] if tensor.shape.rank is None else tensor.shape.as_list()
            random = np.random.default_rng(len(feeds))
            array = random.uniform(0.5, 1.5, [2 if size is None else size for size in shape])
            feeds[tensor] = (array * sign).astype(tensor.dtype.as_numpy_dtype)
    return feeds


def first_line(error: Any) -> str:
    """What an error of a step says first, without the node it names."""
    preamble = r"^Graph execution error:\n\n(Detected at .*?\nNode: '[^']*'\n)?"
    text = re.sub(preamble, "", error.message, flags=re.DOTALL)
    text = re.sub(r"node (\S+) \(defined at [^)]*\)\s*", r"{{node \1}}", text)
    return re.sub(r"\s*\[\[.*", "", text.split("\n")[0])


def contexts(library: Any, program: Program) -> dict[str, list[Any]]:
    """The contexts a program leaves in the collections, as TensorFlow's messages."""
    with library.Graph().as_default() as graph:
        program(library)
        return {
            key: [_parsed(key, each.to_proto()) for each in graph.get_collection(key)]
            for key in _CONTEXTS
        }


def _parsed(key: str, message: Any) -> Any:
    return _CONTEXTS[key].FromString(message.SerializeToString())


def assert_same_refusal(program: Program) -> str:
    """Fails unless both libraries refuse with the same error; returns its text."""
    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours).__name__ == type(theirs).__name__, (ours, theirs)
    assert _normal(str(ours)) == _normal(as_in_tensorflow_1(str(theirs)))
    return str(ours)


def _normal(text: str) -> str:
    """An error's text without what can only differ: addresses, and the class of a tensor."""
    text = re.sub(r"0x[0-9a-f]+", "0x0", text)
    text = re.sub(r"<class '[\w.]*\b(?:Symbolic)?Tensor'>", "<class 'Tensor'>", text)
    return text.replace("type=SymbolicTensor", "type=Tensor")

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
from tests.differentiation.both import assert_same_value, flatten, refusal
from tests.oracle import open_session

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


def assert_same_values(program: Program, open_session: Callable[[Any], Any]) -> None:
    """Fails unless both libraries compute the same, or fail with the same error."""
    expected = _oracle_values(program)
    actual = _values(tf, program, open_session)
    assert len(actual) == len(expected)
    for have, want in zip(actual, expected, strict=True):
        if isinstance(want, Exception) or isinstance(have, Exception):
            assert type(have).__name__ == type(want).__name__, (have, want)
            assert first_line(have) == first_line(want)
        else:
            assert_same_value(have, want)


@functools.cache
def _oracle_values(program: Program) -> list[Any]:
    """What TensorFlow computes: the same, whichever way it is compared with."""
    found = _values(oracle, program, _oracle_session)
    if any(isinstance(value, Exception) for value in found):
        # Which of several nodes an error names may depend on the order that optimizing leaves.
        config = oracle.ConfigProto(device_count={"CPU": 2})
        found = _values(oracle, program, lambda graph: oracle.Session(graph=graph, config=config))
    return found


def _oracle_session(graph: Any) -> Any:
    return open_session(oracle, graph, device_count={"CPU": 2})


def _values(library: Any, program: Program, open_session: Callable[[Any], Any]) -> list[Any]:
    with library.Graph().as_default() as graph:
        fetches = flatten(program(library))
        found = []
        with open_session(graph) as session:
            for sign in SIGNS:
                if graph.get_collection("variables"):
                    session.run(library.global_variables_initializer())
                for each in fetches:
                    found.append(_run(library, session, each, _feeds(graph, sign)))
    return found


def _run(library: Any, session: Any, fetch: Any, feeds: Any) -> Any:
    if fetch is None:
        return None
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
    assert _normal(str(ours)) == _normal(str(theirs))
    return str(ours)


def _normal(text: str) -> str:
    """An error's text without what can only differ: addresses, and the class of a tensor."""
    text = re.sub(r"0x[0-9a-f]+", "0x0", text)
    text = re.sub(r"<class '[\w.]*\b(?:Symbolic)?Tensor'>", "<class 'Tensor'>", text)
    return text.replace("type=SymbolicTensor", "type=Tensor")

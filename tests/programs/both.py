"""Runs one TF1 program on TensorFlow and on this library and compares everything it returns."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import errors_impl as oracle_errors

import dataflow as tf
from dataflow import errors
from tests.differentiation.both import described
from tests.session.both import core_text
from tests.words import as_in_tensorflow_1

oracle.disable_v2_behavior()
oracle.disable_resource_variables()

Program = Callable[[Any], Any]
"""`f(tf)`: a program below its import line. It starts on an empty default graph, and returns the
values to be compared: arrays, Python values, shapes, dtypes, errors, graphs, and containers."""


def assert_same_program(
    program: Program, *, target: str = "", rtol: float = 1e-4, atol: float = 1e-5
) -> Any:
    """Fails unless the program returns the same on both; returns what it did here.

    Floats may differ by the tolerance, since the libraries add in different orders; graphs are
    compared node for node. What a program is to raise it catches and returns. Here its sessions
    run on `target` where it names none.
    """
    theirs = outcome(program, oracle)
    ours = outcome(program, OnTarget(target))
    compare(ours, theirs, "result", rtol, atol)
    return ours


class OnTarget:
    """This library, with another default target of sessions."""

    def __init__(self, target: str) -> None:
        self.Session = functools.partial(tf.Session, target)
        self.InteractiveSession = functools.partial(tf.InteractiveSession, target)

    def __getattr__(self, name: str) -> Any:
        return getattr(tf, name)


def outcome(program: Program, library: Any) -> Any:
    """What the program returns."""
    library.reset_default_graph()
    try:
        return program(library)
    finally:
        library.reset_default_graph()


def compare(ours: Any, theirs: Any, place: str, rtol: float, atol: float) -> None:
    """Fails at the first place where two results differ."""
    ours, theirs = plain(ours), plain(theirs)
    if isinstance(ours, str) and isinstance(theirs, str) and ours != theirs:
        theirs = as_in_tensorflow_1(theirs)
    if isinstance(ours, str) and isinstance(theirs, str) and ours != theirs:
        lines = difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "TensorFlow", "here")
        raise AssertionError("\n".join([place, *lines]))
    where = f"{place}: here {ours!r}, in TensorFlow {theirs!r}"
    assert type(ours) is type(theirs), where
    if isinstance(theirs, Mapping):
        assert list(ours) == list(theirs), where
        for key in theirs:
            compare(ours[key], theirs[key], f"{place}[{key!r}]", rtol, atol)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), where
        for index, pair in enumerate(zip(ours, theirs, strict=True)):
            compare(*pair, f"{place}[{index}]", rtol, atol)
    elif isinstance(theirs, (np.ndarray, np.generic)):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
        if theirs.dtype.kind in "fc":
            np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol, err_msg=place)
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=place)
    elif isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol, err_msg=place)
    else:
        assert ours == theirs, where


def plain(value: Any) -> Any:
    """A value of either library as one that can be compared."""
    if isinstance(value, ValueError):
        # Malformed graphs raise a subclass here, which is an OpError too.
        return ["ValueError", _without_places(str(value))]
    if isinstance(value, (errors.OpError, oracle_errors.OpError)):
        op = value.op.name if value.op is not None else None
        return [type(value).__name__, value.error_code, op, core_text(value.message)]
    if isinstance(value, Exception):
        return [type(value).__name__, _without_places(str(value))]
    if hasattr(value, "as_graph_def"):
        return "\n".join(described(value.as_graph_def().SerializeToString()))
    if hasattr(value, "_fields"):
        return [type(value).__name__, list(value)]
    if isinstance(value, Mapping):
        return dict(value)
    known = (np.ndarray, np.generic, str, bytes, bool, int, float, list, tuple, type(None))
    if isinstance(value, known):
        return value
    if isinstance(value, Sequence):
        return list(value)
    return [type(value).__name__, str(value)]


def _without_places(text: str) -> str:
    """The text without the modules and addresses of objects in it."""
    text = re.sub(r"\b(?:tensorflow|keras|dataflow)(?:\.\w+)*\.(?=[A-Z])", "", text)
    return re.sub(r" at 0x[0-9a-f]+", "", text)

"""Runs one program on TensorFlow and on this library and compares what comes out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import errors_impl as oracle_errors
from tensorflow.python.framework import stack as oracle_stack

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.conftest import SessionFactory
from tests.words import as_in_tensorflow_1

oracle.disable_v2_behavior()

Program = Callable[[Any, Any], Any]
"""`f(library, session)`; the default graph is empty and is the session's."""


def assert_same(program: Program, factory: SessionFactory, cpus: int = 1) -> Any:
    """Fails unless the program returns the same, or fails alike, on both; returns what it did.

    Sessions have so many CPU devices.
    """
    ours, theirs = on_ours(program, factory, cpus), on_oracle(program, cpus)
    assert ours == theirs, f"\nhere:       {ours}\nTensorFlow: {theirs}"
    return ours


def on_ours(program: Program, factory: SessionFactory, cpus: int = 1) -> Any:
    """What the program does here."""
    options = {"config": tf.ConfigProto(device_count={"CPU": cpus})} if cpus > 1 else {}
    with tf.Graph().as_default() as graph:
        return _outcome(program, tf, factory(graph, **options))


def on_oracle(program: Program, cpus: int = 1) -> Any:
    """What the program does in TensorFlow."""
    config = oracle.ConfigProto(device_count={"CPU": cpus})
    with oracle.Graph().as_default() as graph:
        session = oracle.Session(graph=graph, config=config)
        try:
            return _outcome(program, oracle, session)
        finally:
            session.close()
            oracle_stack._default_session_stack.reset()


def _outcome(program: Program, library: Any, session: Any) -> Any:
    try:
        value = program(library, session)
    except (errors.OpError, oracle_errors.OpError) as error:
        op = error.op.name if error.op is not None else None
        return "error", type(error).__name__, error.error_code, op, core_text(error.message)
    except Exception as error:
        return "error", type(error).__name__, spelled_alike(str(error))
    return "value", described(value)


def described(value: Any) -> Any:
    """A value as something to compare: types, dtypes and shapes count."""
    if isinstance(value, np.ndarray):
        return "array", str(value.dtype), value.shape, repr(value.tolist())
    if isinstance(value, np.generic):
        return "scalar", str(value.dtype), repr(value.item())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [described(item) for item in value]
    if isinstance(value, dict):
        return type(value).__name__, [(repr(key), described(item)) for key, item in value.items()]
    if hasattr(type(value), "__attrs_attrs__"):
        return type(value).__name__, [described(item) for item in vars(value).values()]
    if isinstance(value, (str, bytes, int, float, complex, type(None))):
        return type(value).__name__, value
    return type(value).__name__


def core_text(message: str) -> str:
    """What an error of a step says, without where it says it happened."""
    message = message.removeprefix("Graph execution error:\n\n")
    message = re.sub(r"\ADetected at node .*?\nNode: '[^']*'\n", "", message, flags=re.DOTALL)
    return re.split(r"\n\s*(?:\[\[|device: |inputs: |defined at |Errors may have)", message)[
        0
    ].strip()


def spelled_alike(text: str) -> str:
    """The text with the names of the libraries' own modules made one, in the words of 1.15."""
    text = as_in_tensorflow_1(text)
    return re.sub(r"\b(?:tensorflow\.python\.[\w.]+|dataflow\.\w+)\.(?=[A-Z])", "", text)


__all__ = ["Session", "assert_same", "on_oracle", "on_ours", "oracle", "tf"]

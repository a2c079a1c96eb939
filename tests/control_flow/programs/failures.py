"""Compares what TensorFlow and we say of a step that fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session

Program = Callable[[Any], Any]

_COUNTED = re.compile(r"([A-Za-z]\w*?)_\d+\b")
"""A name with the number that tells it from others of the process."""


def assert_same_failure(program: Program) -> str:
    """Fails unless the step fails in both libraries with one error; returns its text.

    Args:
      program: `f(library)` builds into the default graph and returns what is to be run.
    """
    theirs, ours = failure(oracle, program), failure(tf, program)
    assert type(ours).__name__ == type(theirs).__name__, (ours, theirs)
    assert _text(ours) == _text(theirs)
    return _text(ours)


def failure(library: Any, program: Program) -> Any:
    """The error of running what a program builds."""
    with library.Graph().as_default() as graph:
        fetches = program(library)
        # TensorFlow's optimizer removes what nobody pops, and with it the errors of pushing it.
        with open_session(library, graph) as session:
            try:
                session.run(fetches)
            except library.errors.OpError as error:
                return error
    raise AssertionError(f"{library.__name__} runs the program")


def _text(error: Any) -> str:
    """What went wrong, without where, and without numbers that count what a process has made."""
    lines = [
        line
        for line in error.message.split("\n")
        if line.strip()
        and not line.startswith(("Graph execution", "Detected at", "Node:", "  ", "\t"))
    ]
    return _COUNTED.sub(r"\1_N", lines[0]).strip()

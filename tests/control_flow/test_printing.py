"""Printing makes TensorFlow's nodes and prints the same. Ops: Print, PrintV2, StringFormat."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.graph.apply_op import apply_op
from tests.control_flow.both import first_line
from tests.control_flow.programs.print_programs import (
    PRINT_PROGRAMS,
    old_print,
    old_print_with_defaults,
    printed,
    printed_string,
    printed_structures,
)
from tests.differentiation.both import assert_same_graph, assert_same_refusal

ARRAYS: list[Any] = [
    np.float32(1.5),
    np.float32(1e-10),
    np.float64(1 / 3),
    np.int32(7),
    np.bool_(True),
    b"a\x00b\"c\n\\'\t\r\x01\x7f\x1b8",
    np.array([b"ab", "ç".encode()], object),
    np.arange(10),
    np.arange(6).reshape(2, 3),
    np.arange(24).reshape(2, 3, 4),
    np.random.default_rng(0).normal(size=(8, 9)).astype(np.float32),
    np.zeros(0, np.float32),
    np.zeros((2, 0), np.float32),
    np.array([1 + 2j], np.complex64),
    np.array([np.nan, np.inf, -np.inf, -0.0], np.float32),
    np.arange(16).reshape(2, 2, 2, 2),
    np.array([1.1, 2e-5], np.float16),
    np.array([2**63], np.uint64),
]


@pytest.mark.parametrize("program", PRINT_PROGRAMS, ids=lambda p: p.__name__)
def test_graph(program: Any) -> None:
    assert_same_graph(program, values=False)


def _shown(library: Any, program: Any, capfd: Any) -> tuple[str, str]:
    """What three steps print, without what TensorFlow logs of itself."""
    with library.Graph().as_default(), library.Session() as session:
        fetch = program(library)
        graph = library.get_default_graph()
        feeds = {
            op.outputs[0]: np.float32([1, 2.5, 3])
            for op in graph.get_operations()
            if op.type == "Placeholder"
        }
        capfd.readouterr()
        for _ in range(3):
            session.run(fetch, feeds)
    out, err = capfd.readouterr()
    return out, re.sub(r"^[IWE]\d{4} .*\n", "", err, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "program",
    [
        old_print,
        old_print_with_defaults,
        printed,
        printed_string,
        printed_structures,
    ],
    ids=lambda p: p.__name__,
)
def test_printed(program: Any, capfd: Any) -> None:
    want = _shown(oracle, program, capfd)
    have = _shown(tf, program, capfd)
    if program is printed_structures:
        # The lines are printed in any order.
        assert sorted(have[1].split("\n")) == sorted(want[1].split("\n"))
    else:
        assert have == want
    assert have[1]


@pytest.mark.parametrize("summarize", [3, -1, 1, 2])
@pytest.mark.parametrize("number", range(len(ARRAYS)))
def test_format(number: int, summarize: int) -> None:
    results = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            value = library.constant(ARRAYS[number])
            if library is tf:
                text = apply_op(
                    "StringFormat", [value], template="<{}>", placeholder="{}", summarize=summarize
                )
            else:
                text = library.strings.format("<{}>", value, summarize=summarize)
            results.append(session.run(text))
    assert results[1] == results[0]


def test_streams(tmp_path: Path, capfd: Any) -> None:
    import sys

    path = tmp_path / "printed"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1, 2])
        to_file = tf.print("x:", x, output_stream=f"file://{path}")
        to_stdout = tf.print(x, output_stream=sys.stdout, end="!")
        to_log = tf.print(x, output_stream=tf.logging.warning)
        capfd.readouterr()
        for _ in range(2):
            session.run(to_file)
        session.run(to_stdout)
        out, err = capfd.readouterr()
        assert (out, err) == ("[1 2]!", "")
        session.run(to_log)
    assert "[1 2]" in capfd.readouterr().err
    assert path.read_text() == "x: [1 2]\nx: [1 2]\n"


def test_first_n_counts_the_steps_of_a_session(capfd: Any) -> None:
    with tf.Graph().as_default():
        shown = tf.Print(tf.constant(1), [], "here", first_n=2)
        other = shown + 1
        for _ in range(2):
            with tf.Session() as session:
                capfd.readouterr()
                session.run(shown)
                session.run(other)
                session.run(shown)
            assert capfd.readouterr().err == "here\nhere\n"


def test_printed_in_a_loop(capfd: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        loop = tf.while_loop(
            lambda i: i < 3, lambda i: tf.Print(i + 1, [i], "i="), [0], parallel_iterations=1
        )
        capfd.readouterr()
        assert session.run(loop) == 3
    assert capfd.readouterr().err == "i=[0]\ni=[1]\ni=[2]\n"


def unknown_stream(tf: Any) -> Any:
    return tf.print(1, output_stream="nowhere")


def unknown_argument(tf: Any) -> Any:
    return tf.print(1, stream=2)


def no_tensor(tf: Any) -> Any:
    return tf.Print(tf.constant(1), tf.constant(2))


@pytest.mark.parametrize("program", [unknown_stream, unknown_argument, no_tensor])
def test_refusals(program: Any) -> None:
    assert assert_same_refusal(program)


def test_refused_when_it_runs() -> None:
    texts = []
    for library, make in ((oracle, oracle.raw_ops.PrintV2), (tf, None)):
        with library.Graph().as_default(), library.Session() as session:
            text = library.placeholder(library.string, None)
            for arguments in ({"output_stream": "nowhere"}, {}):
                if make is not None:
                    op = make(input=text, **arguments)
                else:
                    op = apply_op("PrintV2", text, **arguments)
                with pytest.raises(library.errors.InvalidArgumentError) as caught:
                    session.run(op, {text: ["a", "b"]})
                texts.append(first_line(caught.value))
    assert texts[2:] == texts[:2]

"""Errors of building and running show the program's frames, and none of ours."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

import dataflow as tf


@pytest.fixture(autouse=True)
def _filtering() -> Iterator[None]:
    tf.debugging.enable_traceback_filtering()
    yield
    tf.debugging.disable_traceback_filtering()


def _product() -> Any:
    return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


def _layer() -> Any:
    return tf.layers.dense(tf.placeholder(tf.float32, [None, None]), 3)


def _twice() -> Any:
    tf.get_variable("v", [1])
    return tf.get_variable("v", [1])


MOST: Final = 1 if sys.version_info < (3, 11) else 0
"""Of our frames; a `raise` of Python 3.10 leaves its own."""

PROGRAMS: dict[str, Callable[[], Any]] = {
    "a function": _product,
    "an operator": lambda: tf.ones([2, 3]) + tf.ones([4, 5]),
    "a reflected operator": lambda: [1, 2] - tf.ones([2, 3]) @ tf.ones([2, 3]),
    "a constant": lambda: tf.constant([[1], [2, 3]]),
    "a layer": _layer,
    "a variable": _twice,
    "a branch": lambda: tf.cond(tf.constant(True), _product, lambda: tf.ones([1])),
    "a loop": lambda: tf.while_loop(lambda i: i < 3, lambda i: _product(), [0]),
    "a map": lambda: tf.map_fn(lambda x: _product(), tf.ones([3])),
    "an initial value": lambda: tf.Variable(_product),
    "gradients": lambda: tf.train.AdamOptimizer().minimize(tf.constant(1.0)),
    "a session": lambda: tf.Session("nowhere"),
    "a fetch": lambda: tf.Session().run(tf.placeholder(tf.float32, name="p")),
    "a step": lambda: tf.Session().run(tf.check_numerics(tf.constant(1.0) / 0.0, "bad")),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_all_frames_are_the_programs(program: Callable[[], Any]) -> None:
    with tf.Graph().as_default(), pytest.raises((ValueError, TypeError, tf.errors.OpError)) as info:
        program()
    frames = traceback.extract_tb(info.value.__traceback__)
    assert frames[0].name == "test_all_frames_are_the_programs"
    assert len([frame for frame in frames if frame.filename != __file__]) <= MOST


def test_of_an_op_that_is_just_made_one_frame_is_left() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError) as info:
        tf.placeholder(tf.float32, shape="x")
    assert len(traceback.extract_tb(info.value.__traceback__)) <= 2 + MOST


def test_functions_that_are_called_back_are_shown_with_who_asked() -> None:
    def branch() -> Any:
        missing: dict[str, Any] = {}
        return missing["missing"]

    with tf.Graph().as_default(), pytest.raises(KeyError) as info:
        tf.cond(tf.constant(True), branch, lambda: 1)
    frames = traceback.extract_tb(info.value.__traceback__)
    names = [frame.name for frame in frames if frame.filename == __file__]
    assert names == ["test_functions_that_are_called_back_are_shown_with_who_asked", "branch"]
    assert len(frames) <= 2 + MOST


def test_what_was_raised_inside_of_us_is_not_shown() -> None:
    x = tf.placeholder(tf.float32, name="x")
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as info:
        session.run(tf.ones([2]) + x, {x: [1.0, 2.0, 3.0]})
    text = "".join(traceback.format_exception(info.value))
    assert "broadcast together" not in text and "another exception" not in text
    assert "Incompatible shapes: [2] vs. [3]" in text


def test_what_the_program_raised_is_shown() -> None:
    def branch() -> Any:
        try:
            return {}["missing"]
        except KeyError as error:
            try:
                raise ValueError("behind") from OSError("never raised")
            except ValueError as other:
                raise error from other  # Each is behind the other one now.

    with tf.Graph().as_default(), pytest.raises(KeyError) as info:
        tf.cond(tf.constant(True), branch, lambda: 1)
    shown = "".join(traceback.format_exception(info.value))
    assert "ValueError: behind" in shown and "OSError: never raised" in shown


def test_frames_are_left_out_behind_an_error_too() -> None:
    def branch() -> Any:
        try:
            return tf.nn.lrn(tf.ones([2, 2]))
        except ValueError as error:
            raise KeyError("told otherwise") from error

    with tf.Graph().as_default(), pytest.raises(KeyError) as info:
        tf.cond(tf.constant(True), branch, lambda: 1)
    behind = info.value.__cause__
    assert behind is not None
    assert [frame.name for frame in traceback.extract_tb(behind.__traceback__)] == ["branch"]


def test_an_error_that_ends_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    """A function that does not shorten its errors itself."""
    with tf.Graph().as_default(), pytest.raises(ValueError, match="rank 4") as info:
        tf.nn.lrn(tf.ones([2, 2]))
    assert len(traceback.extract_tb(info.value.__traceback__)) > 1
    sys.excepthook(info.type, info.value, info.value.__traceback__)
    files = [line for line in capsys.readouterr().err.splitlines() if line.startswith("  File")]
    assert len(files) == 1 and __file__ in files[0]


def test_all_frames_can_be_asked_for() -> None:
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimensions") as info:
        _product()
    names = [frame.name for frame in traceback.extract_tb(info.value.__traceback__)]
    assert names[1] == "_product" and "apply_op" in names[2:]


def test_an_interrupt_keeps_its_frames() -> None:
    def interrupted() -> Any:
        raise KeyboardInterrupt

    with tf.Graph().as_default(), pytest.raises(KeyboardInterrupt) as info:
        tf.cond(tf.constant(True), interrupted, lambda: 1)
    assert "cond" in [frame.name for frame in traceback.extract_tb(info.value.__traceback__)]


@pytest.mark.parametrize("function", [tf.while_loop, tf.cond, tf.get_variable, tf.assign])
def test_programs_find_the_arguments_of_functions(function: Any) -> None:
    assert inspect.getfullargspec(function).args == list(inspect.signature(function).parameters)

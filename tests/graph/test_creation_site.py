"""Which frames of a program an operation keeps."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf


def _inner(x: Any) -> Any:
    return tf.negative(x)


def _outer(x: Any) -> Any:
    with tf.name_scope("s"):
        return _inner(x)


def test_all_frames_of_the_program_and_none_of_ours() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1.0])
        # A function of the program that the library calls: its frames are the program's too.
        made = tf.cond(tf.constant(True), lambda: _outer(x), lambda: x)
        op = next(op for op in made.graph.get_operations() if op.type == "Neg")
    frames = op.traceback
    assert [frame.name for frame in frames[-4:]] == [
        "test_all_frames_of_the_program_and_none_of_ours",
        "<lambda>",
        "_outer",
        "_inner",
    ]
    lines, start = inspect.getsourcelines(_inner)
    assert frames[-1].lineno == start + 1 and frames[-1].line == lines[1].strip()
    assert op.traceback_line == f"{__file__}:{start + 1}"
    package = str(Path(tf.__file__).parent)
    assert not [frame for frame in frames if frame.filename.startswith(package)]


def _deep(depth: int) -> Any:
    return _deep(depth - 1) if depth else tf.constant(1.0)


def test_of_a_deep_recursion_the_innermost_frames() -> None:
    with tf.Graph().as_default():
        frames = _deep(300).op.traceback
    assert {frame.name for frame in frames} == {"_deep"} and 50 < len(frames) < 300


def test_an_error_at_run_time_shows_how_the_program_came_there(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import dataflow as tf\n"
        "def check(x):\n"
        "    return tf.check_numerics(x, 'bad')\n"
        "def model(x):\n"
        "    return check(x / 0.0)\n"
        "y = model(tf.placeholder_with_default(1.0, []))\n"
        "tf.Session().run(y)\n"
    )
    # What starts a module is no part of the program.
    command = [sys.executable, "-m", "program"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    expected = (
        "Original stack trace for 'CheckNumerics':\n"
        f'  File "{program}", line 6, in <module>\n'
        "    y = model(tf.placeholder_with_default(1.0, []))\n"
        f'  File "{program}", line 5, in model\n'
        "    return check(x / 0.0)\n"
        f'  File "{program}", line 3, in check\n'
        "    return tf.check_numerics(x, 'bad')\n"
    )
    assert expected in done.stderr


def test_a_variable_that_is_there_already_says_where_it_was_made() -> None:
    def made() -> Any:
        return tf.get_variable("v", [1], use_resource=False)

    with tf.Graph().as_default():
        made()
        with pytest.raises(ValueError, match=r"Originally defined at:\n\n(.*\n)*.*in made\n"):
            made()


def test_a_site_can_be_pickled() -> None:
    """A template has one; modules that hold templates are pickled."""
    with tf.Graph().as_default():
        template: Any = tf.make_template("t", max)
    site = pickle.loads(pickle.dumps(template))._site  # noqa: S301
    assert str(site) == str(template._site) and str(site).startswith(__file__)
    assert site.frames == template._site.frames
    assert str(pickle.loads(pickle.dumps(site))) == str(site)  # noqa: S301


def test_frames_say_where_their_functions_begin() -> None:
    def made() -> tf.Tensor:
        return tf.constant(1.0)

    op = made().op
    frames = op.traceback_with_start_lines
    assert [tuple(frame) for frame in op.traceback] == [frame[:-1] for frame in frames]
    assert frames[-1][-1] == made.__code__.co_firstlineno

"""Progress bars: in terminals, and nowhere else."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import dataflow as tf

_HIDDEN, _SHOWN = "\x1b[?25l", "\x1b[?25h"


def _drawn(steps: int, terminal: bool) -> str:
    """What a session with the hook writes."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=80)
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step().assign_add(1)
        hook = tf.train.ProgressHook(steps, "Training", console)
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            for _ in range(steps):
                session.run(step)
    return file.getvalue()


def test_a_terminal_sees_how_many_runs_are_done() -> None:
    drawn = _drawn(3, terminal=True)
    assert "Training" in drawn and "0/3" in drawn and "3/3" in drawn


def test_a_file_gets_nothing() -> None:
    assert _drawn(3, terminal=False) == ""


def test_a_session_that_fails_leaves_the_cursor_there() -> None:
    file = io.StringIO()
    hook = tf.train.ProgressHook(None, console=Console(file=file, force_terminal=True))
    with tf.Graph().as_default(), pytest.raises(IndexError):
        tf.train.get_or_create_global_step()
        with tf.train.MonitoredSession(hooks=[hook]):
            raise IndexError
    assert file.getvalue().rfind(_SHOWN) > file.getvalue().rfind(_HIDDEN) >= 0


def test_there_is_no_bar_of_no_steps() -> None:
    with pytest.raises(ValueError, match="steps must be positive, got 0"):
        tf.train.ProgressHook(0)


def _run(*arguments: str) -> tuple[bytes, bytes]:
    """What a command writes to a pipe, and what to the terminal."""
    seen, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "dataflow", *arguments],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
        check=True,
    )
    os.close(terminal)
    drawn = os.read(seen, 1 << 16)
    os.close(seen)
    return done.stdout, drawn


def test_the_command_line_shows_a_bar_and_pipes_only_its_answer(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.identity(tf.constant(1.0), name="y")
    tf.train.write_graph(graph, str(tmp_path), "graph.pb", as_text=False)
    said, drawn = _run("bench", str(tmp_path / "graph.pb"), "--fetch", "y", "--repeat", "7")
    assert said.startswith(b"dataflow, batch 1: 7 runs: median ")
    assert b"7/7" in drawn


def test_converting_checkpoints_shows_how_many_tensors_are_done(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", **{name: np.ones(3) for name in "abcde"})
    _, drawn = _run("convert", str(tmp_path / "w.npz"), str(tmp_path / "w.ckpt"))
    assert b"Tensors written" in drawn and b"5/5" in drawn
    _, drawn = _run("convert", str(tmp_path / "w.ckpt"), str(tmp_path / "again.npz"))
    assert b"Tensors read" in drawn and b"5/5" in drawn

"""Ctrl-C anywhere in what sessions do: nothing hangs, and the next step is right."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import dataflow as tf
from tests.house.tree import ROOT
from tests.session.interrupts.scenes import SCENES

_MOST = "190"
"""Places of each scene; all are visited by command, in a minute."""


def _printed(module: str, *arguments: str) -> dict[str, int]:
    """How many interrupts a program says that there were in each scene."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.session.interrupts.{module}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    found = re.findall(r"^(.+): (\d+) interrupts", done.stdout, re.MULTILINE)
    return {name: int(count) for name, count in found}


def test_at_each_place_where_handlers_run() -> None:
    counts = _printed("each_place", _MOST)
    assert counts.keys() == SCENES.keys()
    assert all(count > 0 for count in counts.values())
    assert sum(counts.values()) > 1000


def test_at_random_moments() -> None:
    counts = _printed("random_moments", "--count", "110")
    assert counts == dict.fromkeys(SCENES, 10)


def test_in_the_closing_of_a_forgotten_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops what is raised in it: all is closed, and the interrupt comes again."""
    session = tf.Session()
    runtime = session._link.runtime
    close, closed = runtime.close_session, []

    def close_interrupted(handle: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        close(handle)
        closed.append(handle)

    monkeypatch.setattr(runtime, "close_session", close_interrupted)
    with pytest.raises(KeyboardInterrupt):
        del session
        gc.collect()
        # A signal that another thread has taken ends no sleep: the handler runs after it.
        for _ in range(2000):
            time.sleep(0.01)
    assert len(closed) == 1

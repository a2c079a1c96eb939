"""Watches over the process in which trials run, and starts it anew when one has ended it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, Final

from tests.fuzz.judge import Verdict
from tests.fuzz.trial import Trial
from tests.fuzz.worker import packed
from tests.house.tree import ROOT

SECONDS: Final = 150.0
"""After which a trial counts as stuck; each of its steps has a time-out of its own."""


class Watched:
    """The process, as a function of trials."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self._errors: Any = None
        self._last_words = ""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        """Where the process is: ops that write files are among those that are tried."""

    def judge(self, trial: Trial) -> Verdict:
        """What becomes of a trial."""
        return self._ask(packed(trial))

    def judge_number(self, seed: int, number: int) -> Verdict:
        """What becomes of a trial by number, which the process makes itself."""
        return self._ask({"seed": seed, "number": number})

    def judge_op(self, name: str, ranks: Sequence[int]) -> Verdict:
        """What becomes of an op that is fed inputs of these ranks."""
        return self._ask({"name": name, "ranks": list(ranks)})

    def _ask(self, line: dict[str, Any]) -> Verdict:
        process = self.process or self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], SECONDS)
            answer = process.stdout.readline() if ready else None
        except BrokenPipeError:
            answer = ""
        if answer:
            return Verdict(**json.loads(answer))
        self.close()
        if answer is None:
            return Verdict("a trial that is stuck")
        number = -process.returncode
        name = signal.Signals(number).name if number > 0 else f"exit {process.returncode}"
        return Verdict(f"the process ended with {name}", self._last_words)

    def _start(self) -> subprocess.Popen[str]:
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (kept open)
        self._folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=self._folder.name,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        return self.process

    def close(self) -> None:
        """Ends the process, and keeps what it has said of its end."""
        process, self.process = self.process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        # It may be ending on its own; how tells what was wrong.
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdout.close()
        if self._folder is not None:
            self._folder.cleanup()
        with self._errors as errors:
            errors.seek(0)
            self._last_words = errors.read()[-3000:]

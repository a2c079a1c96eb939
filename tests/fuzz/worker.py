"""The process in which trials run: takes one a line from standard input, answers with a verdict.

A line is `{"seed": 1, "number": 2}`, or `{"name": "MatMul", "ranks": [1]}`, or has a trial itself.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import resource
import sys
from typing import Any, Final

from tests.fuzz.judge import Verdict, judge
from tests.fuzz.kinds import trial as trial_of
from tests.fuzz.ranks import judge_op
from tests.fuzz.trial import Trial
from tests.fuzz.values import Recipe

_MOST_ADDRESSES: Final = 8 << 30
"""Bytes of addresses: what asks for more gets no memory."""
MOST_BYTES: Final = 2 << 30
"""By which a trial may let the memory in use grow."""


def packed(trial: Trial) -> dict[str, Any]:
    """A trial for a line."""
    return {
        "graph": base64.b64encode(trial.graph).decode(),
        "fetches": trial.fetches,
        "feeds": {name: dataclasses.asdict(recipe) for name, recipe in trial.feeds.items()},
    }


def unpacked(line: dict[str, Any]) -> Trial:
    """The trial that a line has or names."""
    if "number" in line:
        return trial_of(line["seed"], line["number"])
    feeds = {
        name: Recipe(**{**given, "shape": tuple(given["shape"]), "values": tuple(given["values"])})
        for name, given in line["feeds"].items()
    }
    return Trial(base64.b64decode(line["graph"]), tuple(line["fetches"]), feeds)


def _judged(line: dict[str, Any]) -> Verdict:
    before = _peak()
    try:
        verdict = judge_op(**line) if "ranks" in line else judge(unpacked(line))
    except Exception as error:
        return Verdict(f"{type(error).__name__} left the trial", str(error))
    grown = _peak() - before
    if not verdict.kind and grown > MOST_BYTES:
        return Verdict("too much memory", f"{grown >> 20} MiB more than before")
    return verdict


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Answers until there are no more lines."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_ADDRESSES, _MOST_ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What ops print is not to be taken for an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for text in sys.stdin:
        verdict = _judged(json.loads(text))
        answers.write(json.dumps(verdict._asdict()) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

"""Tries random graphs until time is up; prints a program for each way in which one went wrong.

Run as `python -m tests.fuzz --seconds 3600 --seed 1`.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

import click

from tests.fuzz.judge import Verdict
from tests.fuzz.kinds import trial
from tests.fuzz.shrink import shrunk
from tests.fuzz.watch import Watched


@dataclass(slots=True)
class Findings:
    """What a run has come across.

    Attributes:
        tried: Number of trials.
        refused: How many of them ended with an error that is right.
        counts: How often each kind of fault was met.
        firsts: Number of the first trial of each, and its verdict.
    """

    tried: int = 0
    refused: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    firsts: dict[str, tuple[int, Verdict]] = field(default_factory=dict)

    def note(self, number: int, verdict: Verdict) -> None:
        """Counts a trial."""
        self.tried += 1
        self.refused += bool(verdict.text and not verdict.kind)
        if verdict.kind:
            self.counts[verdict.kind] += 1
            self.firsts.setdefault(verdict.kind, (number, verdict))


def search(seconds: float, seed: int, first: int, watched: Watched, most: int = 0) -> Findings:
    """Tries one trial after the other.

    Args:
        seconds: Time to do so.
        seed: Of the trials.
        first: Number of the first one.
        watched: Runs them.
        most: How many at most; 0 for any number.
    """
    findings = Findings()
    end = time.monotonic() + seconds
    for number in itertools.count(first):
        if time.monotonic() > end or (most and findings.tried == most):
            break
        verdict = watched.judge_number(seed, number)
        if verdict.kind and verdict.kind not in findings.counts:
            print(f"{seed}/{number}: {verdict.kind}", file=sys.stderr, flush=True)
        findings.note(number, verdict)
    return findings


def report(findings: Findings, seed: int, watched: Watched, seconds: float) -> str:
    """What went wrong, with a program for each."""
    parts = []
    for kind, (number, verdict) in findings.firsts.items():
        small = shrunk(trial(seed, number), kind, watched.judge, seconds)
        parts.append(
            f"# {findings.counts[kind]} x {kind}; first {seed}/{number}\n"
            + "".join(f"# {line}\n" for line in verdict.text.splitlines())
            + small.program()
        )
    return "\n".join(parts)


@click.command()
@click.option("--seconds", default=60.0, help="How long to try.")
@click.option("--seed", default=1, help="Of the trials: the same ones each time.")
@click.option("--first", default=0, help="Number of the first trial.")
@click.option("--shrink", default=20.0, help="Seconds to make each finding smaller.")
def main(seconds: float, seed: int, first: int, shrink: float) -> None:
    """Tries random graphs."""
    watched = Watched()
    try:
        findings = search(seconds, seed, first, watched)
        print(report(findings, seed, watched, shrink))
    finally:
        watched.close()
    wrong = sum(findings.counts.values())
    ran = findings.tried - findings.refused - wrong
    print(
        f"# {findings.tried} trials from {seed}/{first}: {ran} ran, {findings.refused} were "
        f"refused, {wrong} went wrong in {len(findings.counts)} ways"
    )
    sys.exit(bool(findings.counts))


if __name__ == "__main__":
    main()

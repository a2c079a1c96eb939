"""A short run of the job, ops with inputs of every rank, and that the job sees what is wrong."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Iterator
from random import Random

import pytest

from tests.fuzz.__main__ import report, search
from tests.fuzz.drafts import public_ops
from tests.fuzz.judge import Verdict
from tests.fuzz.kinds import graphs, trial
from tests.fuzz.shrink import shrunk
from tests.fuzz.trial import Trial
from tests.fuzz.watch import Watched

SEED = 1
RANKS = (0, 2, 33)
MORE_RANKS = (1, 5, 31, 32)
GROUPS = 2
"""Tests that share the ops."""


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    process = Watched()
    yield process
    process.close()


def test_random_graphs_run_or_are_refused(watched: Watched) -> None:
    findings = search(math.inf, SEED, 0, watched, most=250)
    assert not findings.counts, report(findings, SEED, watched, 5.0)


@pytest.mark.parametrize("ranks", [RANKS, pytest.param(MORE_RANKS, marks=pytest.mark.long)])
@pytest.mark.parametrize("group", range(GROUPS))
def test_ops_take_or_refuse_every_rank(
    group: int, ranks: tuple[int, ...], watched: Watched
) -> None:
    wrong = {}
    for op in public_ops()[group::GROUPS]:
        verdict = watched.judge_op(op.name, ranks)
        if verdict.kind:
            wrong[op.name] = verdict
    assert not wrong


def test_trials_follow_from_seed_and_number() -> None:
    assert [trial(3, number) for number in range(30)] == [trial(3, number) for number in range(30)]
    assert len({trial(3, number).graph for number in range(30)}) > 25


def test_a_process_that_ends_is_a_finding_and_another_one_takes_its_place() -> None:
    watched = Watched()
    try:
        assert not watched.judge_number(SEED, 0).kind
        assert watched.process is not None
        os.kill(watched.process.pid, signal.SIGSEGV)
        watched.process.wait()
        assert watched.judge_number(SEED, 0).kind == "the process ended with SIGSEGV"
        assert not watched.judge_number(SEED, 0).kind
    finally:
        watched.close()


def test_findings_are_made_smaller() -> None:
    def judge(candidate: Trial) -> Verdict:
        names = [node.op for node in candidate.graph_def().node]
        return Verdict("an Add" if "Neg" in names else "")

    drawn = (graphs(Random(number)) for number in range(4000))
    large = next(made for made in drawn if judge(made).kind and len(made.graph_def().node) > 3)
    small = shrunk(large, "an Add", judge, 5.0)
    assert [node.op for node in small.graph_def().node] == ["Neg"]

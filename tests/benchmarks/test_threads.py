"""The benchmark of threads: what it says of given times, and one short run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.benchmarks.folder import load

threads = load("threads")


def test_a_row_compares_each_number_with_the_smaller_ones_of_its_round() -> None:
    row = threads.row_of("p", (1, 2, 4), [[8.0, 4.0, 6.0], [4.0, 4.0, 4.0], [6.0, 5.0, 6.0]])
    assert row.medians == (6.0, 4.0, 6.0)
    assert row.slowdowns == pytest.approx((0.0, 5 / 6, 1.2))
    assert row.worst == pytest.approx(1.2)


def test_programs_are_timed_with_each_number_of_threads(tmp_path: Path) -> None:
    file = tmp_path / "threads.json"
    arguments = ["--only", "cond on", "--threads", "2,1", "--rounds", "1", "--seconds", "0.001"]
    done = CliRunner().invoke(threads.main, [*arguments, "--output", str(file)])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(file.read_text())["rows"]
    assert row["program"] == "cond on 32 floats" and row["threads"] == [1, 2]
    assert all(median > 0 for median in row["medians"])


@pytest.mark.parametrize("numbers", ["2", "0,1", "1,many"])
def test_numbers_that_are_none(numbers: str) -> None:
    done = CliRunner().invoke(threads.main, ["--threads", numbers])
    assert done.exit_code == 2 and "numbers" in done.output


def test_a_program_that_is_not_there() -> None:
    done = CliRunner().invoke(threads.main, ["--only", "nothing such"])
    assert done.exit_code == 2 and "no program's name contains 'nothing such'" in done.output

"""Vectors of words are learned from real text, in process and on Ray."""

from __future__ import annotations

import re

import pytest

from tests.examples.running import run_example
from tests.ray.processes import ray_address


@pytest.mark.long
def test_neighbours_are_told_from_other_words() -> None:
    output = run_example("word2vec.py")
    found = re.search(r"held-out accuracy ([0-9.]+) on 10000 pairs", output)
    assert found is not None, output
    # Chance is 0.5: the other word is drawn from the text, too.
    assert float(found[1]) >= 0.57
    assert re.search(r"import: .*\w+", output)


def test_runs_on_ray() -> None:
    options = ("--target", "ray", "--steps", "20", "--words", "150", "--sampled", "8")
    output = run_example("word2vec.py", *options, "--batch", "32", ray_address=ray_address())
    assert "step 20/20" in output

"""The ablation finds the passes that act in a program, and times it without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.benchmarks.folder import load

ablation = load("ablation")
Program = load("programs.program").Program


def _build(tf: Any, session: Any) -> Any:
    """Small and large elementwise nodes, shapes, constants, and an update."""
    large = tf.placeholder(tf.float32, [None, 256])
    weights = tf.Variable(np.ones((1024, 256), np.float32))
    total = tf.reduce_mean(tf.sigmoid(large * weights) * (tf.constant(2.0) + 1.0) * 1.0)
    step = tf.train.AdamOptimizer().minimize(total)
    small = tf.placeholder(tf.float32, [4])
    others = small
    for _ in range(8):
        others = others * 1.5 - 0.25
    session.run(tf.global_variables_initializer())
    feed = {large: np.ones((1024, 256), np.float32), small: np.ones(4, np.float32)}
    return lambda: session.run([total, others, step], feed)


PROGRAM = Program("of all kinds", _build)
ACTING = {"fold", "compile_clusters", "passes_on", "simplify", "update_program"}


def test_acting_passes_and_passes_that_are_off() -> None:
    names = {switch.name for switch in ablation.acting(PROGRAM)}
    assert names >= ACTING
    assert not names & {"merge_layers", "pair_pools", "fold_channel_factors"}
    off = next(switch for switch in ablation.SWITCHES if switch.name == "compile_clusters")
    with ablation.switched_off(off):
        acting = {switch.name for switch in ablation.acting(PROGRAM)}
        assert not {"compile_clusters", "passes_on"} & acting


@pytest.mark.parametrize("switch", ablation.SWITCHES, ids=lambda switch: switch.name)
def test_results_without_a_pass(switch: Any) -> None:
    found = []
    for off in (None, switch):
        step, close = ablation.opened(PROGRAM, off)
        with ablation.switched_off(off):
            found.append(step())
        close()
    for one, other in zip(*[made[:2] for made in found], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_what_is_written(tmp_path: Path) -> None:
    output = tmp_path / "ablation.json"
    options = ["--only", "XOR", "--passes", "remember_shapes,merge_layers", "--rounds", "1"]
    given = [*options, "--seconds", "0.001", "--output", str(output)]
    result = CliRunner().invoke(ablation.main, given, catch_exceptions=False)
    assert result.exit_code == 0
    written = json.loads(output.read_text())
    assert [row["name"] for row in written["rows"]] == ["remember_shapes"]
    assert written["rows"][0]["ratio"] > 0
    assert written["silent"] == ["merge_layers"]


def test_passes_that_there_are_not() -> None:
    result = CliRunner().invoke(ablation.main, ["--passes", "magic"])
    assert result.exit_code == 2
    assert "No passes: magic" in result.output

"""A net is trained, saved, frozen and run from its file, in process and on Ray."""

from __future__ import annotations

import re
from pathlib import Path

from tests.command.models import said
from tests.examples.running import held_out_accuracy, on_both, run_example
from tests.ray.processes import ray_address


@on_both
def test_a_frozen_net_reads_digits(target: str, tmp_path: Path) -> None:
    address = ray_address() if target else ""
    arguments = ("--target", target, "--steps", "150", "--out", str(tmp_path / "out"))
    output = run_example("frozen_classifier.py", *arguments, ray_address=address)
    trained = re.search(r"accuracy ([0-9.]+), (\d+) nodes", output)
    passed = re.search(r"after passes: (\d+) nodes", output)
    assert trained is not None and passed is not None, output
    assert held_out_accuracy(output) == float(trained[1]) >= 0.94
    assert int(passed[1]) < int(trained[2])
    report = said("inspect", tmp_path / "out" / "frozen.pb")
    assert report["ops"]["BiasAdd"] == 3 and "FusedBatchNormV3" not in report["ops"]

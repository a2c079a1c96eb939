"""Images are learned from record files by tf.data; a second run goes on where one ended."""

from __future__ import annotations

from pathlib import Path

from tests.examples.running import held_out_accuracy, run_example


def test_digits_are_read_and_training_goes_on(tmp_path: Path) -> None:
    first = run_example("record_pipeline.py", "--steps", "40", "--folder", str(tmp_path))
    assert "goes on" not in first
    second = run_example("record_pipeline.py", "--steps", "240", "--folder", str(tmp_path))
    assert "goes on from step 40" in second
    assert held_out_accuracy(second) >= 0.93
    assert len(list((tmp_path / "checkpoints").glob("*.index"))) == 2

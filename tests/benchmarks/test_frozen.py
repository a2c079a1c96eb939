"""What the benchmark of frozen nets says of nets that it does not have."""

from __future__ import annotations

from click.testing import CliRunner

from tests.benchmarks.folder import load


def test_a_net_that_is_unknown() -> None:
    result = CliRunner().invoke(load("frozen").main, ["--only", "ResNet50,UNet"])
    assert result.exit_code == 2
    assert "'UNet' is none of MobileNetV2, ResNet50," in result.output

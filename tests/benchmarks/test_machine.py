"""What a benchmark writes down about its machine, also where a package is absent."""

from __future__ import annotations

from importlib import metadata

import numpy as np
import pytest

from tests.benchmarks.folder import load


def test_an_absent_package_costs_no_results(monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def without_tensorflow(name: str) -> str:
        if name == "tensorflow-cpu":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without_tensorflow)
    versions = load("local").machine()["versions"]
    assert versions["tensorflow-cpu"] == "absent" and versions["numpy"] == np.__version__

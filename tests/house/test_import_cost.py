"""`import dataflow` is cheap and brings in neither back end, Ray, cupy nor scipy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.house.tree import ROOT

CPU_LIMIT_S = 0.3
"""User CPU time of `import dataflow`, numpy and protobuf included.

With one BLAS thread: the others only spin while OpenBLAS starts, 0.1 s on two cores, and that is
numpy's to spend whatever we import.
"""

_MEASURE = """
import json, resource, sys
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
import dataflow
spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
print(json.dumps([spent, sorted(sys.modules)]))
"""

_UNWANTED = (
    "click",
    "cupy",
    "dataflow.actors",
    "dataflow.kernels",
    "msgpack",
    "multiprocessing",
    "ray",
    "rich",
    "scipy",
    "tensorflow",
)


def _import_dataflow() -> tuple[float, list[str]]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    # Compiled modules are kept, as they are wherever somebody works with the library.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    spent, modules = json.loads(done.stdout)
    return spent, modules


def test_import_brings_in_no_back_end() -> None:
    _, modules = _import_dataflow()
    assert "dataflow" in modules
    assert not set(_UNWANTED) & set(modules)


@pytest.mark.alone
def test_import_is_cheap() -> None:
    _import_dataflow()  # compiles what a fresh checkout has not compiled yet
    # What else the machine does only adds to it: the least of many is what the import takes.
    spent = min(_until_cheap())
    print(f"\nimport dataflow: {spent:.3f} s of user CPU")
    assert spent < CPU_LIMIT_S, f"import dataflow takes {spent:.3f} s; see python -X importtime"


def _until_cheap() -> Iterator[float]:
    for _ in range(30):
        spent, _ = _import_dataflow()
        yield spent
        if spent < CPU_LIMIT_S:
            return

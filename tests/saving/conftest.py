"""SavedModels that TensorFlow 2 and Keras 3 write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.once import made_once
from tests.saving.saved_model import tensorflow_2


@pytest.fixture(scope="session")
def models() -> Path:
    return made_once("tensorflow_2", _make)


def _make(folder: Path) -> None:
    command = [sys.executable, tensorflow_2.__file__, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

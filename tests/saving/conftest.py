"""SavedModels that TensorFlow 2 and Keras 3 write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.saving.saved_model import tensorflow_2


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tensorflow_2")
    command = [sys.executable, tensorflow_2.__file__, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder

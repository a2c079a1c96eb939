"""The list of TensorFlow's names is what TensorFlow has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.public_names import GOLDEN, PublicName


def test_the_list_is_what_tensorflow_has(tmp_path: Path) -> None:
    fresh = tmp_path / "tensorflow.txt"
    # In a process of its own: other tests switch TensorFlow's behaviour.
    subprocess.run(
        [sys.executable, "-m", "tools.public_names", str(fresh)],
        cwd=GOLDEN.parents[2],
        capture_output=True,
        check=True,
    )
    assert _without_flags(fresh) == _without_flags(GOLDEN), "run python -m tools.public_names"


def _without_flags(path: Path) -> dict[str, PublicName]:
    """The names but those of `tf.flags`, which are those of any version of another package."""
    names = PublicName.read(path.read_text(encoding="utf-8"))
    return {path: name for path, name in names.items() if not path.startswith("tf.flags.")}

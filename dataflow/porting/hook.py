"""Lets `import tensorflow` mean this library, in this process."""

from __future__ import annotations

import sys


def as_tensorflow(former_names: bool = True) -> None:
    """Lets `import tensorflow` and TensorFlow's internal paths mean this library from here on.

    For this process only; a second call does nothing. What the names do is TensorFlow 1.15's, and
    `tensorflow.__version__` says so.

    Args:
      former_names: Whether names that Python, numpy and scipy.misc had at TensorFlow 1's time, and
        have no longer (`np.int`, `collections.Mapping`, `scipy.misc.imread`), are there again.

    Raises:
      RuntimeError: If the process has imported TensorFlow itself already.
    """
    # Most programs that import this library by its name need none of it.
    from dataflow.porting.finder import FINDER
    from dataflow.porting.former.restore import restore_former_names

    if FINDER in sys.meta_path:
        return
    if "tensorflow" in sys.modules:
        raise RuntimeError(
            "TensorFlow itself has been imported already: call dataflow.as_tensorflow() before "
            f"the first import of tensorflow (it came from {sys.modules['tensorflow'].__file__})."
        )
    sys.meta_path.insert(0, FINDER)
    if former_names:
        restore_former_names()

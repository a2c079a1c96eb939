"""What this process has open, to see that nothing is left open."""

from __future__ import annotations

import gc
import os


def open_descriptors() -> set[str]:
    """Numbers of the open descriptors, after what is garbage is gone."""
    gc.collect()
    names = os.listdir("/proc/self/fd")
    # The one that the list was read through is among them, and closed by now.
    return {name for name in names if os.path.lexists(f"/proc/self/fd/{name}")}

"""Names of files that models and weights are written to."""

from __future__ import annotations

import os


def check_path(path: str, overwrite: bool) -> None:
    """Raises FileExistsError if there is a file that may not be replaced; makes folders."""
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f"{path} exists, and overwrite is False.")
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)

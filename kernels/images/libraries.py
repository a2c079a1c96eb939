"""The libraries that read and write files of images; they load when the first file comes."""

from __future__ import annotations

import importlib
from typing import Any

from dataflow.errors import UnimplementedError


def library(module: str) -> Any:
    """A module of Pillow or simplejpeg.

    Raises:
      UnimplementedError: It is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = "pillow" if module.startswith("PIL") else module
        raise UnimplementedError(
            None,
            None,
            f"Files of images need the package {package}, which is not installed: "
            "pip install pillow simplejpeg",
        ) from None

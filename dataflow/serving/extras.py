"""Libraries that only servers need: what to install if one is not there."""

from __future__ import annotations

import importlib
from typing import Any

from dataflow.errors import FailedPreconditionError


def load(module: str, package: str, purpose: str) -> Any:
    """A module that is loaded when it is first needed.

    Raises:
      FailedPreconditionError: It is not installed; the error names what to install.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise FailedPreconditionError(
            None, None, f"{purpose} needs {package}: pip install '{package}' ({error})"
        ) from None


SERVE = "dataflow-ray[serve]"
"""The extra with the listeners."""
RAY_SERVE = "ray[serve]"
"""What spreads replicas over a cluster."""

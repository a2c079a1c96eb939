"""The case rows of every op family; each module names its rows CASES."""

from __future__ import annotations

import importlib
import pkgutil

from tests.ops.case import Case


def all_cases() -> list[Case]:
    """The rows of all modules in this package."""
    rows: list[Case] = []
    for module in pkgutil.iter_modules(__path__):
        rows += importlib.import_module(f"{__name__}.{module.name}").CASES
    return rows


__all__ = ["all_cases"]

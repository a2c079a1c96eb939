"""The rows of every op family, in rooms named as those of dataflow/ops/.

A module names its rows CASES (one call) or PROGRAMS (several steps), or has both.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from tests.ops.case import Case
from tests.ops.program import Program


def all_cases() -> list[Case]:
    """The rows of one call."""
    return [case for module in modules() for case in getattr(module, "CASES", ())]


def all_programs() -> list[Program]:
    """The rows of several steps."""
    return [program for module in modules() for program in getattr(module, "PROGRAMS", ())]


def modules() -> Iterator[ModuleType]:
    """The modules of this package and of the packages in it."""
    for found in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not found.ispkg:
            yield importlib.import_module(found.name)

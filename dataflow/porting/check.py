"""Which of the names that a program uses are here, and which do something else."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from dataflow.contrib.absent import Absent
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.paths import PACKAGES, SOURCES
from dataflow.porting.uses import Program

DIFFERENT: Final[Mapping[str, str]] = {
    "tensorflow.ConfigProto.gpu_options": "is kept and not used: memory grows as it is needed.",
    "tensorflow.GPUOptions": "is kept and not used: memory grows as it is needed.",
    "tensorflow.device": "GPUs are those that cupy finds; without one, `allow_soft_placement`.",
    "tensorflow.train.Server": "is a cluster of Ray actors; join Ray first.",
}
"""What is here and is not all that TensorFlow does, and how."""


@dataclass(frozen=True)
class Finding:
    """A name, what is the matter with it, and where it stands."""

    path: str
    reason: str
    places: tuple[str, ...]
    """ "file:line" of each use."""


@dataclass(frozen=True)
class Report:
    """What a check found."""

    files: int
    names: int
    uses: int
    missing: tuple[Finding, ...]
    """By the number of uses, the most first."""
    different: tuple[Finding, ...]
    unread: tuple[tuple[str, str], ...]

    @property
    def uses_covered(self) -> int:
        """Uses of names that are here."""
        return self.uses - sum(len(finding.places) for finding in self.missing)


def check(program: Program) -> Report:
    """Looks each name up, as the program would when it runs."""
    places: dict[str, list[str]] = {}
    for use in program.uses:
        places.setdefault(use.path, []).append(f"{use.file}:{use.line}")
    missing: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    different: dict[str, list[str]] = {}
    for path, found in places.items():
        lost = _lost(path)
        if lost and lost[0] not in program.given:
            name, reasons[name] = lost
            missing.setdefault(name, []).extend(found)
            continue
        for name in DIFFERENT:
            if path == name or path.startswith(f"{name}."):
                different.setdefault(name, []).extend(found)
    return Report(
        files=program.files,
        names=len(places),
        uses=len(program.uses),
        missing=_findings(missing, reasons),
        different=_findings(different, DIFFERENT),
        unread=tuple(program.unread),
    )


def _findings(places: Mapping[str, list[str]], reasons: Mapping[str, str]) -> tuple[Finding, ...]:
    found = [Finding(name, reasons[name], tuple(where)) for name, where in places.items()]
    return tuple(sorted(found, key=lambda finding: (-len(finding.places), finding.path)))


def _lost(path: str) -> tuple[str, str] | None:
    """The shortest part of a path that leads nowhere, and why; None if all of it is here."""
    parts = path.split(".")
    value: Any = TensorflowModule("tensorflow")
    for count, name in enumerate(parts[1:], 2):
        if not isinstance(value, ModuleType) and not inspect.isclass(value):
            # What an object has that a function made is known when the program runs.
            return None
        here = ".".join(parts[:count])
        try:
            value = getattr(value, name)
            if isinstance(value, Absent):
                if here in SOURCES or here in PACKAGES:
                    # A module that no import has bound yet.
                    value = importlib.import_module(here)
                    continue
                return here, value.reason
        except AttributeError as error:
            if isinstance(value, ModuleType):
                try:
                    value = importlib.import_module(here)
                    continue
                except ImportError as import_error:
                    return here, str(import_error)
            if inspect.isclass(value):
                # A protobuf's fields are attributes of its messages.
                fields = getattr(getattr(value, "DESCRIPTOR", None), "fields_by_name", {})
                return None if name in fields else (here, str(error))
        except ImportError as error:
            return here, str(error)
    return None

"""`pkg_resources`, which setuptools has no more: what packages are installed, and their files."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from dataflow.porting.former.loose_versions import LooseVersion

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_BOUND: Final = re.compile(r"(==|!=|<=|>=|<|>)\s*([^\s,;]+)")
_HOLDS: Final = {
    "==": lambda found, bound: found == bound,
    "!=": lambda found, bound: found != bound,
    "<=": lambda found, bound: found <= bound,
    ">=": lambda found, bound: found >= bound,
    "<": lambda found, bound: found < bound,
    ">": lambda found, bound: found > bound,
}


class ResolutionError(Exception):
    """A requirement is not met."""


class DistributionNotFound(ResolutionError):
    """A package is not installed."""


class VersionConflict(ResolutionError):
    """A package is installed in another version."""


class Distribution:
    """An installed package."""

    def __init__(self, found: importlib.metadata.Distribution) -> None:
        """Takes what Python knows of it."""
        self._found = found
        self.project_name: str = found.metadata["Name"]
        self.key = self.project_name.lower()
        self.version = found.version
        self.location = str(found.locate_file(""))

    @property
    def parsed_version(self) -> Any:
        """The version, to be compared."""
        return parse_version(self.version)

    def has_metadata(self, name: str) -> bool:
        """Whether there is a file of a name about it."""
        return self._found.read_text(name) is not None

    def get_metadata(self, name: str) -> str:
        """The text of a file about it.

        Raises:
          FileNotFoundError: There is none of that name.
        """
        text = self._found.read_text(name)
        if text is None:
            raise FileNotFoundError(f"{self.project_name} has no metadata called {name!r}.")
        return text

    def __str__(self) -> str:
        return f"{self.project_name} {self.version}"


def parse_version(v: str) -> Any:
    """A version that compares with others as PEP 440 says, where `packaging` is installed."""
    try:
        from packaging.version import InvalidVersion, Version
    except ImportError:
        return LooseVersion(v)
    try:
        return Version(v)
    except InvalidVersion:
        return LooseVersion(v)


def get_distribution(dist: str) -> Distribution:
    """The installed package of a requirement.

    Raises:
      DistributionNotFound: It is not installed.
      VersionConflict: It is, in another version.
    """
    name = _NAME.match(dist.strip())
    try:
        found = Distribution(importlib.metadata.distribution(name[0] if name else dist))
    except importlib.metadata.PackageNotFoundError:
        raise DistributionNotFound(
            f"The '{dist}' distribution was not found and is required by the application"
        ) from None
    for sign, bound in _BOUND.findall(dist):
        if not _HOLDS[sign](found.parsed_version, parse_version(bound)):
            raise VersionConflict(f"{found} is installed but {dist} is required")
    return found


def require(*requirements: str) -> list[Distribution]:
    """The installed packages of requirements; see `get_distribution`."""
    return [get_distribution(one) for one in requirements]


def resource_filename(package_or_requirement: str, resource_name: str) -> str:
    """The path of a file that lies beside the code of a package."""
    module = importlib.import_module(package_or_requirement)
    folder = os.path.dirname(module.__file__) if module.__file__ else next(iter(module.__path__))
    return os.path.join(folder, *resource_name.split("/"))


def resource_exists(package_or_requirement: str, resource_name: str) -> bool:
    """Whether there is such a file or folder."""
    return os.path.exists(resource_filename(package_or_requirement, resource_name))


def resource_isdir(package_or_requirement: str, resource_name: str) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(resource_filename(package_or_requirement, resource_name))


def resource_listdir(package_or_requirement: str, resource_name: str) -> list[str]:
    """The names in a folder."""
    return os.listdir(resource_filename(package_or_requirement, resource_name))


def resource_string(package_or_requirement: str, resource_name: str) -> bytes:
    """The bytes of a file."""
    return Path(resource_filename(package_or_requirement, resource_name)).read_bytes()


def resource_stream(package_or_requirement: str, resource_name: str) -> Any:
    """A file, opened to read bytes."""
    return open(resource_filename(package_or_requirement, resource_name), "rb")


def iter_entry_points(group: str, name: str | None = None) -> Iterator[Any]:
    """What installed packages offer under a name; `load()` imports it."""
    wanted = {"group": group} if name is None else {"group": group, "name": name}
    yield from importlib.metadata.entry_points(**wanted)


def declare_namespace(packageName: str) -> None:
    """Nothing: Python finds the parts of a package by itself."""

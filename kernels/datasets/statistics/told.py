"""Statistics of pipelines: what their stages tell of themselves, and under which names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

_DELIMITER: Final = "::"


class Aggregator(Protocol):
    """Gathers what stages tell."""

    def value(self, tag: str, value: float, step: int) -> None:
        """Adds a value to a histogram.

        Args:
          tag: Which one.
          value: A finite number.
          step: How many elements there were before, in the stage that tells it.
        """

    def scalar(self, tag: str, value: float, step: int) -> None:
        """Takes the latest value of a number; see `value`."""


class Told:
    """What one stage tells."""

    def __init__(self, aggregator: Aggregator, prefix: str) -> None:
        """Takes who is told, and how tags begin."""
        self._aggregator = aggregator
        self._prefix = prefix
        self.step = 0
        """How many elements there were."""

    def value(self, name: str, value: float) -> None:
        """Adds to a histogram."""
        self._aggregator.value(self._prefix + name, float(value), self.step)

    def scalar(self, name: str, value: float) -> None:
        """Tells the value that a number has now."""
        self._aggregator.scalar(self._prefix + name, float(value), self.step)


class Recorder:
    """Has what the stages of a pipeline tell gathered under their names."""

    def __init__(self, aggregator: Aggregator, tag: bytes, names: Mapping[Any, str]) -> None:
        """Takes who gathers.

        Args:
          aggregator: Gathers it.
          tag: What all tags begin with, if anything.
          names: What datasets are called; one that functions make is called by its kind.
        """
        self._aggregator = aggregator
        self._prefix = _printed(tag) + _DELIMITER if tag else ""
        self._names = names

    def of(self, dataset: Any) -> Told:
        """What a stage of a dataset tells."""
        return self.named(self._names.get(dataset) or f"{dataset.kind}Dataset")

    def named(self, name: str) -> Told:
        """What something else tells that has a name."""
        return Told(self._aggregator, f"{self._prefix}{name}{_DELIMITER}")

    def tagged(self, tag: bytes) -> Told:
        """What is told under a tag of its own, and no further name."""
        return Told(self._aggregator, self._prefix + _printed(tag))


def _printed(tag: bytes) -> str:
    """A tag as a message holds it: text."""
    return tag.decode(errors="replace")

"""tensorflow.python.eager.monitoring: numbers that a program counts of itself, in this process."""

from __future__ import annotations

import bisect
import threading
from typing import Any


class _Metric:
    """What has a cell for each combination of labels."""

    _cell: Any = None

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self.name = name
        self.description = description
        self._labels = labels
        self._cells: dict[tuple[str, ...], Any] = {}

    def get_cell(self, *labels: str) -> Any:
        """The cell of a combination of labels.

        Raises:
          ValueError: There is another number of labels.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"The {self.name} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, self._made())

    def _made(self) -> Any:
        return self._cell()


class CounterCell:
    """A number that only grows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._value = 0

    def increase_by(self, value: int) -> None:
        """Adds to it."""
        with self._lock:
            self._value += value

    def value(self) -> int:
        """The number."""
        return self._value


class _GaugeCell:
    """A value that is set."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def set(self, value: Any) -> None:
        """Sets it."""
        self._value = type(self._value)(value)

    def value(self) -> Any:
        """The value that was set last."""
        return self._value


class SamplerCell:
    """Counts of values by ranges."""

    def __init__(self, limits: list[float]) -> None:
        self._limits = limits
        self._counts = [0] * (len(limits) + 1)

    def add(self, value: float) -> None:
        """Counts a value."""
        self._counts[bisect.bisect_right(self._limits, value)] += 1

    def value(self) -> list[int]:
        """How many values there were in each range."""
        return list(self._counts)


class Counter(_Metric):
    """A number that only grows, for each combination of labels."""

    _cell = CounterCell


class IntGauge(_Metric):
    """An integer that is set, for each combination of labels."""

    def _made(self) -> Any:
        return _GaugeCell(0)


class StringGauge(_Metric):
    """A text that is set, for each combination of labels."""

    def _made(self) -> Any:
        return _GaugeCell("")


class BoolGauge(_Metric):
    """A truth value that is set, for each combination of labels."""

    def _made(self) -> Any:
        return _GaugeCell(False)


class ExponentialBuckets:
    """Ranges whose limits are `scale * growth_factor**i`, for i below `bucket_count`."""

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        self.limits = [scale * growth_factor**index for index in range(bucket_count)]


class Sampler(_Metric):
    """Counts of values by ranges, for each combination of labels."""

    def __init__(
        self, name: str, buckets: ExponentialBuckets, description: str, *labels: str
    ) -> None:
        super().__init__(name, description, *labels)
        self._buckets = buckets

    def _made(self) -> Any:
        return SamplerCell(self._buckets.limits)

"""Counts and times of a server, in the text that Prometheus reads and under TensorFlow's names."""

from __future__ import annotations

import bisect
import math
import threading
from collections.abc import Sequence

_MICROSECONDS = tuple(10 * 1.8**n for n in range(33))
_SIZES = tuple(float(2**n) for n in range(15))


class _Family:
    """One metric, with a series for each combination of its labels' values."""

    def __init__(self, name: str, help_text: str, labels: Sequence[str]) -> None:
        self.name = f":tensorflow:{name}"
        self._help = help_text
        self._labels = tuple(labels)
        self._lock = threading.Lock()

    def _head(self, kind: str) -> list[str]:
        return [f"# HELP {self.name} {self._help}", f"# TYPE {self.name} {kind}"]

    def _tagged(self, values: Sequence[str], more: str = "") -> str:
        tags = [
            f'{label}="{_escaped(value)}"'
            for label, value in zip(self._labels, values, strict=True)
        ]
        tags += [more] if more else []
        return "{" + ",".join(tags) + "}" if tags else ""


class Counter(_Family):
    """A number that grows."""

    def __init__(self, name: str, help_text: str, labels: Sequence[str]) -> None:
        super().__init__(name, help_text, labels)
        self._values: dict[tuple[str, ...], int] = {}

    def add(self, *values: str, by: int = 1) -> None:
        """Adds to a series."""
        with self._lock:
            self._values[values] = self._values.get(values, 0) + by

    def lines(self) -> list[str]:
        """The text."""
        with self._lock:
            series = sorted(self._values.items())
        return self._head("counter") + [f"{self.name}{self._tagged(k)} {v}" for k, v in series]


class Histogram(_Family):
    """How numbers are spread."""

    def __init__(
        self,
        name: str,
        help_text: str,
        labels: Sequence[str],
        bounds: Sequence[float] = _MICROSECONDS,
    ) -> None:
        super().__init__(name, help_text, labels)
        self._bounds = tuple(bounds)
        self._values: dict[tuple[str, ...], tuple[list[int], list[float]]] = {}

    def add(self, number: float, *values: str) -> None:
        """Adds a number to a series."""
        with self._lock:
            counts, total = self._values.setdefault(values, ([0] * (len(self._bounds) + 1), [0.0]))
            counts[bisect.bisect_left(self._bounds, number)] += 1
            total[0] += number

    def lines(self) -> list[str]:
        """The text."""
        with self._lock:
            series = sorted((k, (list(c), t[0])) for k, (c, t) in self._values.items())
        found = self._head("histogram")
        for values, (counts, total) in series:
            below = 0
            for bound, count in zip((*self._bounds, math.inf), counts, strict=True):
                below += count
                text = "+Inf" if bound == math.inf else f"{bound:g}"
                tags = self._tagged(values, f'le="{text}"')
                found.append(f"{self.name}_bucket{tags} {below}")
            found.append(f"{self.name}_sum{self._tagged(values)} {total:g}")
            found.append(f"{self.name}_count{self._tagged(values)} {below}")
        return found


class Metrics:
    """All of a server's."""

    def __init__(self) -> None:
        self.requests = Counter(
            "serving:request_count", "The total number of requests.", ("model_name", "status")
        )
        self.latency = Histogram(
            "serving:request_latency",
            "Distribution of wall time (in microseconds) of requests.",
            ("model_name", "API", "entrypoint"),
        )
        self.runtime = Histogram(
            "serving:runtime_latency",
            "Distribution of wall time (in microseconds) of steps.",
            ("model_name", "API", "runtime"),
        )
        self.examples = Counter(
            "serving:request_example_count_total", "The total number of examples.", ("model",)
        )
        self.batches = Histogram(
            "serving:batching_session:batch_size", "Rows of batches before padding.", (), _SIZES
        )

    def text(self) -> str:
        """All of them, as Prometheus reads them."""
        families = (self.requests, self.latency, self.runtime, self.examples, self.batches)
        return "\n".join(line for family in families for line in family.lines()) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

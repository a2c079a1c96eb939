"""The bar that tells how far an epoch is."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np


def show(text: str) -> None:
    """Writes a line to the standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Progbar:
    """A bar with the means of values.

    Args:
      target: The number of steps; None if it is not known.
      width: Width of the bar.
      verbose: 0 for silence, 1 for a bar, 2 for a line in the end.
      interval: Least seconds between two updates.
      stateful_metrics: Names of values that are shown as they are.
      unit_name: What steps are called.
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Any = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width, self.verbose = target, width, verbose
        self.interval, self.unit_name = interval, unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._values: dict[str, list[float]] = {}
        self._seen_so_far = self._total_width = 0
        self._start = time.time()
        self._last_update = 0.0

    def add(self, n: int, values: Any = None) -> None:
        """Some steps more."""
        self.update(self._seen_so_far + n, values)

    def update(self, current: int, values: Any = None) -> None:
        """So many steps in all, and what has been found in the last ones: (name, value)."""
        for name, value in values or ():
            if name in self.stateful_metrics:
                self._values[name] = [value, 1]
                continue
            steps = current - self._seen_so_far
            total = self._values.setdefault(name, [0.0, 0])
            total[0] += value * steps
            total[1] += steps
        self._seen_so_far = current
        now = time.time()
        is_last = self.target is not None and current >= self.target
        if self.verbose == 1 and (is_last or now - self._last_update >= self.interval):
            self._draw(current, now, is_last)
            self._last_update = now
        elif self.verbose == 2 and is_last:
            show(f"{self._count(current)} - {now - self._start:.0f}s{self._means()}")

    def _count(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        return f"{current:{len(str(self.target))}d}/{self.target}"

    def _means(self) -> str:
        told = ""
        for name, (total, count) in self._values.items():
            mean = float(np.mean(total / max(1, count)))
            told += f" - {name}: {mean:.4f}" if abs(mean) > 1e-3 else f" - {name}: {mean:.4e}"
        return told

    def _draw(self, current: int, now: float, is_last: bool) -> None:
        line = self._count(current)
        if self.target:
            done = int(self.width * current / self.target)
            tip = "=" if is_last else ">"
            line += " [" + (("=" * (done - 1) + tip) if done else "").ljust(self.width, ".") + "]"
        each = (now - self._start) / current if current else 0.0
        if self.target is not None and not is_last:
            line += f" - ETA: {each * (self.target - current):.0f}s"
        else:
            line += f" - {now - self._start:.0f}s {_short(each)}/{self.unit_name}"
        line += self._means()
        before, self._total_width = self._total_width, len(line)
        sys.stdout.write("\b" * before + "\r" + line.ljust(before) + ("\n" if is_last else ""))
        sys.stdout.flush()


def _short(seconds: float) -> str:
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"

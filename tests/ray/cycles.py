"""Opens and closes sessions on Ray, and shows whatever any of its processes prints meanwhile.

`python -m tests.ray.cycles --count 1000` is quiet but for its last line. With `--own` each session
starts a Ray of its own and stops it. A short run is a test.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from typing import Final, NamedTuple

_CYCLES: Final = """
import statistics, sys, time
import ray
import dataflow as tf

count, is_own = int(sys.argv[1]), sys.argv[2] == "own"
if not is_own:
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="ERROR")
times = [], []
# Ten minutes for what else has the machine's processors.
config = tf.ConfigProto(device_count={"CPU": 2}, operation_timeout_in_ms=600_000)
two = tf.constant(1) + 1
for _ in range(count):
    start = time.monotonic()
    session = tf.Session("ray", config=config)
    times[0].append(time.monotonic() - start)
    assert session.run(two) == 2
    start = time.monotonic()
    session.close()
    times[1].append(time.monotonic() - start)
print("medians", *map(statistics.median, times), file=sys.stderr)
"""

_EXPECTED: Final = ("Token authentication is enabled", "Waiting for ")
"""Ray says the one wherever a user has a token, we the other where a machine is busy."""


class Told(NamedTuple):
    """What cycles took, and what was printed that was not to be."""

    opening: float
    closing: float
    noise: str


def cycles(count: int, own: bool = False, limit: float | None = None) -> Told:
    """Opens and closes sessions in a process of their own.

    Args:
      count: How many, one after the other.
      own: Whether each has a Ray of its own.
      limit: Seconds they may take.

    Raises:
      RuntimeError: The process failed; with what it printed.
    """
    kind = "own" if own else "shared"
    done = subprocess.run(
        [sys.executable, "-c", _CYCLES, str(count), kind],
        # What else has the machine's memory is not the sessions' matter.
        env={**os.environ, "RAY_memory_monitor_refresh_ms": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=limit,
        check=False,
    )
    lines = done.stdout.splitlines()
    medians = [line for line in lines if line.startswith("medians ")]
    if done.returncode or not medians:
        raise RuntimeError(f"The cycles ended with {done.returncode}:\n{done.stdout}")
    (last,) = medians
    lines.remove(last)
    noise = [line for line in lines if not any(each in line for each in _EXPECTED)]
    opening, closing = map(float, last.split()[1:])
    return Told(opening, closing, "\n".join(noise))


def main() -> int:
    """Prints what was printed, and what a cycle takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--own", action="store_true", help="a Ray for each session")
    given = parser.parse_args()
    start = time.monotonic()
    told = cycles(given.count, given.own)
    if told.noise:
        print(told.noise)
    took, silent = time.monotonic() - start, "not silent" if told.noise else "silent"
    print(
        f"{given.count} cycles in {took:.0f} s, opening {told.opening:.2f} s and closing "
        f"{told.closing:.2f} s in the median; {silent}"
    )
    return bool(told.noise)


if __name__ == "__main__":
    sys.exit(main())

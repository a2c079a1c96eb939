"""tf.test.Benchmark: timed runs of operations, reported as text."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.graph import scopes
from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
from dataflow.session.session import Session

TEST_REPORTER_TEST_ENV: Final = "TEST_REPORT_FILE_PREFIX"
"""The variable of the environment that says where reports are written, if not printed."""

GLOBAL_BENCHMARK_REGISTRY: Final[set[type]] = set()
"""The classes of benchmarks that there are; each is here once it is defined."""


def benchmark_config() -> ConfigProto:
    """The configuration for sessions that are timed: the usual one."""
    return ConfigProto()


class Benchmark:
    """A class of benchmarks: its methods time operations and report what they found."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.is_abstract():
            GLOBAL_BENCHMARK_REGISTRY.add(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """True for this class itself, which has no benchmarks."""
        return cls is Benchmark

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, in the default session or one of their own."""
        session = scopes.get_default_session()
        if session is not None:
            return session.run(tensors)
        with Session() as own:
            return own.run(tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Reports what a benchmark found, as a line of JSON.

        Args:
          iters: How many runs there were.
          cpu_time: Seconds of processor time of a run.
          wall_time: Seconds of a run.
          throughput: Megabytes each second.
          extras: Further numbers and texts by name.
          name: Name of the benchmark; that of the method that calls this if None.
          metrics: Further values, each with name, value and bounds.
        """
        entry = {
            "name": name or f"{type(self).__name__}.{sys._getframe(1).f_code.co_name}",
            "iters": iters,
            "cpu_time": cpu_time,
            "wall_time": wall_time,
            "throughput": throughput,
            "extras": dict(extras or {}),
            "metrics": [dict(metric) for metric in metrics or ()],
        }
        line = json.dumps({key: value for key, value in entry.items() if value is not None})
        prefix = os.environ.get(TEST_REPORTER_TEST_ENV)
        if not prefix:
            sys.stdout.write(line + "\n")
            return
        with open(prefix + str(entry["name"]).replace("/", "__"), "a") as file:
            file.write(line + "\n")

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Times runs of an operation, and reports the median.

        Args:
          sess: A session.
          op_or_tensor: What is run; a tensor's value is not fetched.
          feed_dict: What is fed.
          burn_iters: How many runs come before those that are timed.
          min_iters: How many runs are timed.
          store_trace: Whether one more run is traced, and its trace reported.
          store_memory_usage: Accepted; memory is not reported.
          name: Name of the benchmark; that of the method that calls this if None.
          extras: Further numbers and texts to report.
          mbs: Megabytes that a run moves, for the throughput.

        Returns:
          What is reported: `iters`, `wall_time` in seconds, `throughput`, `extras`.
        """
        target = getattr(op_or_tensor, "op", op_or_tensor)
        for _ in range(burn_iters):
            sess.run(target, feed_dict)
        deltas = np.zeros(min_iters)
        for run in range(min_iters):
            begin = time.perf_counter()
            sess.run(target, feed_dict)
            deltas[run] = time.perf_counter() - begin
        more = dict(extras or {})
        more.update(wall_time_mean=float(np.mean(deltas)), wall_time_stdev=float(np.std(deltas)))
        if store_trace:
            metadata = RunMetadata()
            options = RunOptions(trace_level=RunOptions.FULL_TRACE)
            sess.run(target, feed_dict, options=options, run_metadata=metadata)
            more["step_stats"] = str(metadata.step_stats)
        median = float(np.median(deltas))
        found: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "throughput": mbs / median,
            "extras": more,
            "name": name or f"{type(self).__name__}.{sys._getframe(1).f_code.co_name}",
        }
        self.report_benchmark(**found)
        return found


TensorFlowBenchmark = Benchmark


def run_benchmarks(pattern: str) -> None:
    """Calls the methods of all benchmarks whose names a regular expression is found in.

    Args:
      pattern: The expression, for names of the form `module.Class.benchmarkMethod`; or "all".
    """
    for kind in sorted(GLOBAL_BENCHMARK_REGISTRY, key=lambda each: each.__qualname__):
        own = f"{kind.__module__}.{kind.__name__}"
        names = [name for name in dir(kind) if name.startswith("benchmark")]
        wanted = [
            name
            for name in names
            if callable(getattr(kind, name))
            and (pattern == "all" or re.search(pattern, f"{own}.{name}"))
        ]
        if wanted:
            benchmark = kind()
            for name in wanted:
                getattr(benchmark, name)()


_run_benchmarks = run_benchmarks

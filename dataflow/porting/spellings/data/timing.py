"""tensorflow.python.data.benchmarks.benchmark_base: how long a dataset takes for its elements."""

from __future__ import annotations

import statistics
import time
from typing import Any

from dataflow.library.datasets import dataset as datasets
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.settings.options import Options
from dataflow.session.session import Session
from dataflow.testing.benchmark import Benchmark


class DatasetBenchmarkBase(Benchmark):
    """Times datasets."""

    def run_benchmark(
        self, dataset: Any, num_elements: int, iters: int = 1, warmup: bool = True
    ) -> float:
        """The median of the seconds that an element takes.

        Args:
          dataset: Has the elements.
          num_elements: How many are made each time.
          iters: How often they are.
          warmup: Whether they are made once more before.
        """
        options = Options()
        options.experimental_optimization.apply_default_optimizations = False
        behind = dataset.with_options(options).skip(num_elements - 1)
        iterator = datasets.make_initializable_iterator(behind)
        first = element_nest.flatten(iterator.get_next())[0]
        taken = []
        for _ in range(iters):
            with Session() as session:
                if warmup:
                    session.run(iterator.initializer)
                    session.run(first)
                session.run(iterator.initializer)
                start = time.perf_counter()
                session.run(first.op)
                taken.append(time.perf_counter() - start)
        return statistics.median(taken) / num_elements

    def run_and_report_benchmark(
        self,
        dataset: Any,
        num_elements: int,
        name: str,
        iters: int = 5,
        extras: dict[str, Any] | None = None,
        warmup: bool = True,
    ) -> None:
        """Reports what `run_benchmark` gives, under a name, with what else there is to tell."""
        seconds = self.run_benchmark(dataset, num_elements, iters, warmup)
        told = {**(extras or {}), "num_elements": num_elements}
        self.report_benchmark(wall_time=seconds, iters=iters, name=name, extras=told)

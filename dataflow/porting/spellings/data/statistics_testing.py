"""stats_dataset_test_base of tf.data's experimental tests: what pipelines tell of themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dataflow import errors
from dataflow.library.datasets.settings.aggregators import StatsAggregator, StatsAggregatorV2
from dataflow.library.datasets.settings.options import Options
from dataflow.porting.spellings.data.testing import DatasetTestBase
from dataflow.proto.event_pb2 import Event
from dataflow.proto.summary_pb2 import Summary
from dataflow.records.reading import tf_record_iterator


class StatsDatasetTestBase(DatasetTestBase):
    """A test of what a `StatsAggregator` gathers; a handle is a summary, or a folder of events."""

    def datasetExperimentalStats(
        self, dataset: Any, aggregator: Any, prefix: str = "", counter_prefix: str = ""
    ) -> Any:
        """The dataset, whose stages tell an aggregator of themselves."""
        options = Options()
        statistics = options.experimental_stats
        statistics.aggregator = aggregator
        statistics.prefix, statistics.counter_prefix = prefix, counter_prefix
        statistics.latency_all_edges = False
        return dataset.with_options(options)

    def regexForNodeName(self, op_name: str, stats_type: str = "") -> str:
        """What tags match that a stage made."""
        return rf"{op_name}/_\d+::{stats_type}" if stats_type else rf"{op_name}/_\d+"

    def getHandle(self, aggregator: Any) -> Any:
        """What the other methods read."""
        if isinstance(aggregator, StatsAggregatorV2):
            return aggregator._logdir
        return self.evaluate(aggregator.get_summary())

    def _value(self, handle: Any, tag: str, num_events: int = -1, offset: int = 0) -> Any:
        """The value with a tag; of a folder the last one, or one counted from the end."""
        if isinstance(handle, bytes):
            values = list(Summary.FromString(handle).value)
        else:
            values = [event.summary.value[0] for event in _events(handle) if event.summary.value]
            values.reverse()
            if num_events != -1:
                self.assertEqual(len(_events(handle)), num_events)
                values = values[offset : offset + 1]
        found = next((value for value in values if re.match(tag, value.tag)), None)
        self.assertIsNotNone(found, f"Expected tag {tag!r} not found in {handle!r}")
        return found

    def assertStatisticsContains(
        self, handle: Any, tag: str, num_events: int = -1, offset: int = 0
    ) -> None:
        """There is a value with this tag."""
        self._value(handle, tag, num_events, offset)

    def assertStatisticsHasCount(
        self,
        handle: Any,
        tag: str,
        count: float,
        num_events: int = -1,
        greater_than: bool = False,
        offset: int = 0,
    ) -> None:
        """So many numbers are in a histogram, or more."""
        found = self._value(handle, tag, num_events, offset).histo.num
        (self.assertGreaterEqual if greater_than else self.assertEqual)(found, count)

    def assertStatisticsHasSum(
        self, handle: Any, tag: str, expected_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """The numbers of a histogram have this sum."""
        found = self._value(handle, tag, num_events, offset)
        self.assertEqual(expected_value, found.histo.sum)

    def assertStatisticsHasScalarValue(
        self, handle: Any, tag: str, expected_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """A number is this one."""
        found = self._value(handle, tag, num_events, offset)
        self.assertEqual(expected_value, found.simple_value)

    def assertStatisticsHasRange(
        self,
        handle: Any,
        tag: str,
        min_value: float,
        max_value: float,
        num_events: int = -1,
        offset: int = 0,
    ) -> None:
        """The numbers of a histogram lie between these."""
        histogram = self._value(handle, tag, num_events, offset).histo
        self.assertLessEqual(min_value, histogram.min)
        self.assertGreaterEqual(max_value, histogram.max)

    def parallelCallsStats(
        self,
        dataset_fn: Callable[[], Any],
        dataset_names: Sequence[str],
        num_output: int,
        function_processing_time: bool = False,
        check_elements: bool = True,
    ) -> None:
        """Stages of these names tell how busy their threads are, and what functions take.

        Args:
          dataset_fn: Makes the dataset.
          dataset_names: Of the ops of its stages.
          num_output: How many elements it has.
          function_processing_time: Whether times of functions are told, too.
          check_elements: Whether element i is i times the number i.
        """
        aggregator = StatsAggregator()
        dataset = self.datasetExperimentalStats(dataset_fn(), aggregator)
        get_next = self.getNext(dataset, requires_initialization=True)
        times = r"(.*)::execution_time$"
        for number in range(num_output):
            element = self.evaluate(get_next())
            if check_elements:
                self.assertAllEqual(np.full(number, number, np.int64), element)
            handle = self.getHandle(aggregator)
            if function_processing_time:
                self.assertStatisticsHasCount(handle, times, number + 1, greater_than=True)
            for name in dataset_names:
                tag = self.regexForNodeName(name, "thread_utilization")
                self.assertStatisticsContains(handle, tag)
        with self.assertRaises(errors.OutOfRangeError):
            self.evaluate(get_next())
        if function_processing_time:
            handle = self.getHandle(aggregator)
            self.assertStatisticsHasCount(handle, times, num_output, greater_than=True)


def _events(folder: str) -> list[Any]:
    (name,) = Path(folder).iterdir()
    return [Event.FromString(record) for record in tf_record_iterator(str(name))]

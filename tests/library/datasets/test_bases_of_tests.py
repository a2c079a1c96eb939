"""Files, statistics and times of datasets, by the bases of TensorFlow's tests of them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.library.datasets.settings.aggregators import StatsAggregatorV2
from dataflow.porting.spellings.data.file_testing import (
    FixedLengthRecordDatasetTestBase,
    MakeBatchedFeaturesDatasetTestBase,
    TextLineDatasetTestBase,
    TFRecordDatasetTestBase,
)
from dataflow.porting.spellings.data.statistics_testing import StatsDatasetTestBase
from dataflow.porting.spellings.data.timing import DatasetBenchmarkBase

Dataset = tf.data.Dataset


class FixedLengthRecordsTest(FixedLengthRecordDatasetTestBase):
    def test_records(self) -> None:
        names = self._createFiles()
        dataset = tf.data.FixedLengthRecordDataset(names, 3, header_bytes=5, footer_bytes=2)
        with self.cached_session():
            self.assertDatasetProduces(
                dataset, [b"%d" % (2 * f + r) * 3 for f in range(2) for r in range(7)]
            )


class BatchedFeaturesTest(MakeBatchedFeaturesDatasetTestBase):
    def test_batches(self) -> None:
        with self.cached_session():
            self.outputs = self.getNext(self.make_batch_feature(self.test_filenames, 2, 4, "label"))
            self.verify_records(4, num_epochs=2, label_key_provided=True)
            with self.assertRaises(tf.errors.OutOfRangeError):
                self._next_actual_batch(label_key_provided=True)
            self.outputs = self.getNext(self.make_batch_feature(self.test_filenames[1], 1, 7))
            self.verify_records(7, file_index=1)
            self.assertEqual(self._sum_keywords(2), 21)

    def test_interleaved(self) -> None:
        with self.cached_session():
            batches = self.make_batch_feature(self.test_filenames, 1, 5, reader_num_threads=2)
            self.outputs = self.getNext(batches)
            self.verify_records(5, interleave_cycle_length=2)

    def test_other_batches_are_noticed(self) -> None:
        with self.cached_session():
            self.outputs = self.getNext(self.make_batch_feature(self.test_filenames[0], 1, 7))
            with self.assertRaises(AssertionError):
                self.verify_records(7, file_index=1)


class LinesTest(TextLineDatasetTestBase):
    def test_lines(self) -> None:
        wanted = [b"0: 0", b"0: 1", b"1: 0", b"1: 1"]
        for kind in (None, "GZIP", "ZLIB"):
            names = self._createFiles(2, 2, crlf=kind is None, compression_type=kind)
            with self.cached_session():
                self.assertDatasetProduces(tf.data.TextLineDataset(names, kind), wanted)
        with self.assertRaises(ValueError):
            self._createFiles(1, 1, compression_type="LZ4")


class RecordsTest(TFRecordDatasetTestBase):
    def test_batches(self) -> None:
        dataset = tf.data.TFRecordDataset(self.test_filenames).batch(4, drop_remainder=True)
        with self.cached_session():
            self._verify_records(self.getNext(dataset), 4, None, 1, 1, True, False)
            cut = tf.data.TFRecordDataset(self.test_filenames[1]).map(
                lambda record: tf.strings.substr(record, 1, 100)
            )
            self._verify_records(self.getNext(cut.batch(7)), 7, [1], 1, 1, False, True)


class ToldTest(StatsDatasetTestBase):
    def test_parallel_calls(self) -> None:
        def make() -> Any:
            return Dataset.range(10).map(
                lambda x: tf.tile([x], tf.ones([1], tf.int64) * x), num_parallel_calls=2
            )

        with self.cached_session():
            self.parallelCallsStats(make, {"ParallelMapDataset"}, 10, function_processing_time=True)

    def test_histograms(self) -> None:
        aggregator = tf.data.experimental.StatsAggregator()
        counted = Dataset.range(5).map(lambda x: tf.tile([x], [4]))
        told = counted.apply(tf.data.experimental.bytes_produced_stats("bytes"))
        dataset = self.datasetExperimentalStats(told.prefetch(-1), aggregator, "my")
        with self.cached_session():
            get_next = self.getNext(dataset, requires_initialization=True)
            for _ in range(5):
                self.evaluate(get_next())
            handle = self.getHandle(aggregator)
            self.assertStatisticsHasCount(handle, "my::bytes", 5)
            self.assertStatisticsHasSum(handle, "my::bytes", 5 * 32)
            self.assertStatisticsHasRange(handle, "my::bytes", 32, 32)
            with self.assertRaises(AssertionError):
                self.assertStatisticsContains(handle, "your::bytes")

    def test_folder_of_events(self) -> None:
        aggregator = StatsAggregatorV2()
        told = Dataset.range(30).apply(tf.data.experimental.bytes_produced_stats("bytes"))
        dataset = self.datasetExperimentalStats(told, aggregator)
        with self.cached_session() as session:
            session.run(aggregator.initializer)
            get_next = self.getNext(dataset, requires_initialization=True)
            for _ in range(30):
                self.evaluate(get_next())
        self.assertStatisticsHasRange(self.getHandle(aggregator), "bytes", 8, 8)
        with self.assertRaises(AssertionError):
            self.assertStatisticsContains(self.getHandle(aggregator), "bytes", num_events=2)


def test_times(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[dict[str, Any]] = []

    class Timed(DatasetBenchmarkBase):
        def report_benchmark(self, **told: Any) -> None:
            reports.append(told)

    with tf.Graph().as_default():
        slow = Dataset.range(4).map(lambda x: tf.py_func(_waited, [x], tf.int64))
        Timed().run_and_report_benchmark(slow, 4, "slow", iters=3, extras={"more": 1})
    (told,) = reports
    assert told["name"] == "slow" and told["iters"] == 3
    assert told["extras"] == {"more": 1, "num_elements": 4}
    assert told["wall_time"] >= 0.002


def _waited(number: Any) -> Any:
    time.sleep(0.002)
    return np.int64(number)

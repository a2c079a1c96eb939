"""What reads series and cuts windows of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import timeseries as ts
from dataflow.contrib.timeseries.readers import TFExampleReader
from tests.contrib.timeseries.series import SERIES, TIMES, VALUES


def read(make: Callable[[], Any]) -> Any:
    """What an input gives in its first step."""
    with tf.Graph().as_default(), tf.Session() as session:
        made = make()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            return session.run(made)
        finally:
            coordinator.request_stop()
            coordinator.join(threads)


@pytest.fixture
def lines(tmp_path: Path) -> str:
    path = tmp_path / "series.csv"
    path.write_text("head\n" + "".join(f"{i},{i * 0.5},{-i}\n" for i in range(9)))
    return str(path)


def test_arrays() -> None:
    whole = read(lambda: ts.WholeDatasetInputFn(ts.NumpyReader(SERIES))()[0])
    np.testing.assert_array_equal(whole["times"], TIMES[None])
    np.testing.assert_array_equal(whole["values"], VALUES[None, :, None])
    some = read(lambda: ts.NumpyReader(SERIES, read_num_records_hint=7).read())
    np.testing.assert_array_equal(some["times"], TIMES[:7])


def test_lines_of_numbers(lines: str) -> None:
    def reader() -> ts.CSVReader:
        return ts.CSVReader(lines, ("times", "values", "values"), skip_header_lines=1)

    expected = np.stack([np.arange(9) * 0.5, -np.arange(9.0)], axis=1)
    for found in (read(lambda: reader().read_full()), read(lambda: reader().read())):
        np.testing.assert_array_equal(found["times"], np.arange(9))
        np.testing.assert_array_equal(found["values"], expected)
    typed = ts.CSVReader(
        lines, ("times", "values", "more"), [tf.int64, tf.float64, tf.int32], skip_header_lines=1
    )
    found = read(lambda: typed.read())
    assert found["values"].dtype == np.float64 and found["more"].tolist() == [
        [-i] for i in range(9)
    ]


def test_records_of_examples(tmp_path: Path) -> None:
    path = str(tmp_path / "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for time in range(4):
            example = tf.train.Example()
            example.features.feature["times"].int64_list.value.append(time)
            example.features.feature["values"].float_list.value.extend([time, -time])
            writer.write(example.SerializeToString())
    features = {
        "times": tf.io.FixedLenFeature([], tf.int64),
        "values": tf.io.FixedLenFeature([2], tf.float32),
    }
    found = read(lambda: TFExampleReader(path, features).read_full())
    assert found["times"].tolist() == [0, 1, 2, 3] and found["values"][3].tolist() == [3, -3]
    with pytest.raises(ValueError, match="'values' is a required column"):
        TFExampleReader(path, {"times": features["times"]})


def test_windows(lines: str) -> None:
    """Windows are parts of the series; those over its end are left out."""

    def make() -> Any:
        reader = ts.CSVReader(lines, ("times", "values", "more"), skip_header_lines=1)
        return [ts.RandomWindowInputFn(reader, 4, 3, jitter=True)()[0]]

    (found,) = read(make)
    times = found["times"]
    assert times.shape == (3, 4) and found["values"].shape == (3, 4, 1)
    np.testing.assert_array_equal(np.diff(times, axis=1), np.ones((3, 3)))
    np.testing.assert_array_equal(found["values"][..., 0], times * 0.5)

    straight = ts.RandomWindowInputFn(
        ts.NumpyReader(SERIES), 3, 2, jitter=False, num_threads=1, shuffle_seed=3
    )
    for first, *_ in read(lambda: straight()[0])["times"].tolist():
        assert first % 3 == 0


def test_a_series_without_windows_ends(lines: str) -> None:
    """Where no window's times rise, reading does not go on for ever."""
    falling = {"times": TIMES[::-1], "values": VALUES}
    window = ts.RandomWindowInputFn(
        ts.NumpyReader(falling), 5, 2, jitter=False, discard_consecutive_batches_limit=3
    )
    with pytest.raises(tf.errors.OutOfRangeError):
        read(lambda: window()[0])


EVALUATION = {"times": np.array([[58, 59]]), "start_tuple": ()}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: ts.RandomWindowInputFn(ts.NumpyReader(SERIES), 100, 2),
            "create windows of size 100, but only 30 records were available",
        ),
        (lambda: ts.NumpyReader({"times": TIMES}), "times and values are required features."),
        (
            lambda: ts.NumpyReader({"times": TIMES, "values": VALUES[:5]}),
            r"Got shape \(5,\) for feature 'values', but shape \(30,\) for 'times'",
        ),
        (
            lambda: ts.NumpyReader({"times": [TIMES, TIMES], "values": [VALUES, VALUES]}),
            "Got batch input, was expecting unbatched input.",
        ),
        (
            lambda: ts.NumpyReader({"times": TIMES, "values": VALUES[:, None, None]}),
            r"at most 2 dimensions \(\[series length, number of features\]\) since 'times' ",
        ),
        (
            lambda: ts.NumpyReader({"times": 1, "values": [[1]]}),
            r"at most 1 dimension \(\[number of features\]\) since 'times' does not have a",
        ),
        (
            lambda: ts.NumpyReader({"times": [[TIMES]], "values": [[VALUES]]}),
            r"but got shape \(1, 1, 30\).",
        ),
        (lambda: ts.CSVReader("a", ("times",)), "'values' is a required column."),
        (lambda: ts.CSVReader("a", ("values",)), "'times' is a required column."),
        (
            lambda: ts.CSVReader("a", ("times", "times", "values")),
            r"Got more than one times column \('times'\), but exactly one is required.",
        ),
        (
            lambda: ts.CSVReader("a", ("times", "values"), [tf.int64]),
            "the length of column_dtypes must match the length of column_names",
        ),
        (
            lambda: ts.predict_continuation_input_fn(EVALUATION),
            "One of `steps` and `times` must be specified.",
        ),
        (
            lambda: ts.predict_continuation_input_fn(EVALUATION, steps=1, times=[1]),
            "Only one of `steps` and `times` may be specified.",
        ),
        (
            lambda: ts.predict_continuation_input_fn(EVALUATION, times=[59]),
            "Prediction times must be after the corresponding previous model output.",
        ),
        (
            lambda: ts.predict_continuation_input_fn(EVALUATION, times=[[100], [200]]),
            "got a batch dimension of 2 for `times` and 1 for the previous model output",
        ),
    ],
)
def test_refusals(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()

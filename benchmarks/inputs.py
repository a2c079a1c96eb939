"""Times input pipelines here and in TensorFlow: datasets, record files, queues.

python benchmarks/inputs.py

Each pipeline is built with both libraries in one process, its elements are compared, then rounds
alternate; a ratio is the median of those of neighbouring rounds, above 1 where we take longer. That
of the processor's time counts all threads, and says more than the clock where others use the machine.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import tensorflow.compat.v1 as tensorflow
from local import machine
from rich.console import Console
from rich.table import Table

import dataflow

BATCH = 128
RECORDS = 4096


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline without an end."""

    name: str
    build: Callable[[Any, Path], Any]
    """Makes what a step fetches."""
    elements: int
    """How many a step takes."""
    is_ordered: bool = True
    """Whether both libraries give the same elements."""


@dataclass(frozen=True, slots=True)
class Row:
    """Microseconds an element: medians."""

    pipeline: str
    ours: float
    theirs: float
    ratio: float
    lowest: float
    highest: float
    processor: float
    """Ratio of the processor's time."""


def _next(tf: Any, dataset: Any) -> Any:
    return tf.data.make_one_shot_iterator(dataset.repeat()).get_next()


def slices(tf: Any, folder: Path) -> Any:
    """Rows of an array, one by one."""
    return _next(tf, tf.data.Dataset.from_tensor_slices(np.arange(RECORDS * 4).reshape(-1, 4)))


def small(tf: Any, folder: Path) -> Any:
    """Small elements, batched."""
    rows = np.arange(RECORDS * 4, dtype=np.float32).reshape(-1, 4)
    labels = np.arange(RECORDS, dtype=np.int64)
    return _next(tf, tf.data.Dataset.from_tensor_slices((rows, labels)).batch(BATCH))


def shuffled(tf: Any, folder: Path) -> Any:
    """Small elements, shuffled and batched."""
    rows = np.arange(RECORDS * 4, dtype=np.float32).reshape(-1, 4)
    labels = np.arange(RECORDS, dtype=np.int64)
    source = tf.data.Dataset.from_tensor_slices((rows, labels)).shuffle(1000, seed=1)
    return _next(tf, source.batch(BATCH))


def images(tf: Any, folder: Path) -> Any:
    """Images of 96 x 96 that are scaled and flipped one by one, then batched."""
    pixels = np.random.default_rng(0).integers(0, 255, (64, 96, 96, 3), np.uint8)

    def prepared(image: Any) -> Any:
        return tf.reverse(tf.cast(image, tf.float32) / 255.0, [1])

    return _next(tf, tf.data.Dataset.from_tensor_slices(pixels).map(prepared).batch(32))


def record_file(folder: Path) -> str:
    """A file of examples with 16 floats and a label."""
    path = folder / "records"
    if not path.exists():
        random = np.random.default_rng(0)
        with dataflow.io.TFRecordWriter(str(path)) as writer:
            for label in range(RECORDS):
                example = dataflow.train.Example()
                example.features.feature["x"].float_list.value.extend(random.random(16))
                example.features.feature["label"].int64_list.value.append(label)
                example.features.feature["name"].bytes_list.value.append(b"record %d" % label)
                writer.write(example.SerializeToString())
    return str(path)


def records(tf: Any, folder: Path) -> Any:
    """Records of a file in batches, which are parsed."""
    features = {
        "x": tf.FixedLenFeature([16], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64),
        "name": tf.FixedLenFeature([], tf.string),
    }
    source = tf.data.TFRecordDataset(record_file(folder)).batch(BATCH)
    return _next(tf, source.map(lambda batch: tf.parse_example(batch, features)))


def parsing(tf: Any, folder: Path) -> Any:
    """One batch of records, parsed in each step."""
    found = list(dataflow.io.tf_record_iterator(record_file(folder)))[:BATCH]
    features = {
        "x": tf.FixedLenFeature([16], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64),
        "name": tf.FixedLenFeature([], tf.string),
    }
    # A constant would be parsed once and for all.
    return tf.parse_example(tf.Variable(found), features)


def lines(count: int) -> Callable[[Any, Path], Any]:
    """Lines of a file by queue runners, batched by another queue."""

    def build(tf: Any, folder: Path) -> Any:
        path = folder / "lines"
        if not path.exists():
            path.write_text("".join(f"line {number}\n" for number in range(20_000)))
        names = tf.train.string_input_producer([str(path)])
        reader = tf.TextLineReader()
        if count == 1:
            return tf.train.batch([reader.read(names)[1]], BATCH, capacity=4 * BATCH)
        many = reader.read_up_to(names, count)[1]
        return tf.train.batch([many], BATCH, capacity=4 * BATCH, enqueue_many=True)

    return build


PIPELINES = (
    Pipeline("slices", slices, 1),
    Pipeline("small elements, batched", small, BATCH),
    Pipeline("small elements, shuffled and batched", shuffled, BATCH, is_ordered=False),
    Pipeline("images, mapped and batched", images, 32),
    Pipeline("records of a file, parsed", records, BATCH),
    Pipeline("parse_example", parsing, BATCH),
    Pipeline("queues: lines", lines(1), BATCH, is_ordered=False),
    Pipeline("queues: lines, 64 at once", lines(64), BATCH, is_ordered=False),
)


def _step(tf: Any, pipeline: Pipeline, folder: Path, stack: ExitStack) -> Callable[[], Any]:
    """Builds a pipeline; gives what takes the next elements."""
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        fetched = pipeline.build(tf, folder)
    session = stack.enter_context(tf.Session(graph=graph))
    with graph.as_default():
        session.run(tf.global_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
    stack.callback(coordinator.join, threads, stop_grace_period_secs=5)
    stack.callback(coordinator.request_stop)
    call: Callable[[], Any] = session.make_callable(dataflow.nest.flatten(fetched))
    return call


def _timed(step: Callable[[], Any], seconds: float) -> tuple[float, float]:
    """Seconds a step, by the clock and of the processor."""
    count, start, begin = 0, time.perf_counter(), time.process_time()
    while (spent := time.perf_counter() - start) < seconds or not count:
        step()
        count += 1
    return spent / count, (time.process_time() - begin) / count


def measure(pipeline: Pipeline, rounds: int, seconds: float) -> Row:
    """Times a pipeline.

    Raises:
      ValueError: Its elements are not TensorFlow's.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        ours, theirs = (_step(tf, pipeline, Path(folder), stack) for tf in (dataflow, tensorflow))
        for _ in range(3):
            for mine, other in zip(ours(), theirs(), strict=True):
                if np.shape(mine) != np.shape(other):
                    raise ValueError(f"{pipeline.name}: {np.shape(mine)}, not {np.shape(other)}")
                if pipeline.is_ordered and not np.array_equal(mine, other):
                    raise ValueError(f"{pipeline.name}: {mine}, not {other}")
        pairs = []
        for step in (ours, theirs):
            _timed(step, seconds)
        for _ in range(rounds):
            pairs.append((_timed(ours, seconds), _timed(theirs, seconds)))
    ratios = [mine / other for (mine, _), (other, _) in pairs]
    scale = 1e6 / pipeline.elements
    return Row(
        pipeline.name,
        statistics.median(mine for (mine, _), _ in pairs) * scale,
        statistics.median(other for _, (other, _) in pairs) * scale,
        statistics.median(ratios),
        min(ratios),
        max(ratios),
        statistics.median(mine / other for (_, mine), (_, other) in pairs),
    )


@click.command()
@click.option("--rounds", default=9, help="How often each library is timed.")
@click.option("--seconds", default=0.3, help="Of one round.")
@click.option("--only", default="", help="Pipelines whose name contains this.")
@click.option("--output", type=Path, default=Path("benchmarks/results/inputs.json"))
def main(rounds: int, seconds: float, only: str, output: Path) -> None:
    """Times input pipelines here and in TensorFlow."""
    table = Table("pipeline", "us an element", "TensorFlow", "ratio", "from", "to", "processor")
    rows = []
    for pipeline in PIPELINES:
        if only in pipeline.name:
            row = measure(pipeline, rounds, seconds)
            rows.append(asdict(row))
            numbers = (row.ours, row.theirs, row.ratio, row.lowest, row.highest, row.processor)
            table.add_row(row.pipeline, *(f"{number:.2f}" for number in numbers))
    Console().print(table)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()

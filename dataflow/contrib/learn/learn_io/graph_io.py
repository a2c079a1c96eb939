"""Batches of examples that readers take from files, by queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.contrib.input_pipeline.rounds import seek_next
from dataflow.contrib.learn.learn_io.feature_queues import (
    queue_parsed_features as queue_parsed_features,
)
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.files.gfile import glob
from dataflow.library.parsing.examples import parse_example
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.readers.readers import TFRecordReader
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.basic.constant import constant
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.training.inputs.batches import batch_join
from dataflow.training.inputs.producers import string_input_producer
from dataflow.training.inputs.shuffled_batches import shuffle_batch_join
from dataflow.values import dtypes

KEY_FEATURE_NAME: Final = "__key__"
"""Where keys are while they are among features."""


def read_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A batch of what readers find in files; see `read_keyed_batch_examples`."""
    _, examples = read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
    )
    return examples


def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A batch of what readers find in files, with their keys.

    Args:
      file_pattern: Files, as a pattern or a list of patterns.
      batch_size: How many examples a batch has; the last one may have fewer if `num_epochs` is set.
      reader: Makes a reader.
      randomize_input: Whether files and examples come in random order.
      num_epochs: How often each example comes, a local variable counts; without an end if None.
      queue_capacity: How many examples the queue has at most.
      num_threads: How many readers there are.
      read_batch_size: How many examples are read at a time.
      parse_fn: Gives a tensor, or tensors by name, for examples as they are read.
      name: The name scope.
      seed: Of the random order.

    Returns:
      Keys, strings [batch_size], and examples: strings [batch_size], or what `parse_fn` gives.

    Raises:
      ValueError: No file is there, or a number makes no sense.
    """
    return _read(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        False,
        name,
        seed,
    )


def read_keyed_batch_examples_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """As `read_keyed_batch_examples`; who shares the graph's variables shares the files."""
    return _read(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        True,
        name,
        seed,
    )


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> dict[str, Any]:
    """The features of a batch by name; see `read_keyed_batch_features`."""
    _, found = read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads,
        feature_queue_capacity,
        num_enqueue_threads,
        parse_fn,
        name,
        read_batch_size,
    )
    return found


def read_batch_record_features(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> dict[str, Any]:
    """The features of a batch from TFRecord files; see `read_keyed_batch_features`."""
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        TFRecordReader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Keys and features of a batch of `tf.train.Example` protos, through a queue of parsed batches.

    Args:
      file_pattern: See `read_keyed_batch_examples`.
      batch_size: See there.
      features: Which features there are; see `tf.io.parse_example`.
      reader: See there.
      randomize_input: See there.
      num_epochs: See there.
      queue_capacity: See there.
      reader_num_threads: How many readers there are.
      feature_queue_capacity: How many parsed batches wait at most.
      num_enqueue_threads: How many threads parse.
      parse_fn: Is called with what was read, and gives protos.
      name: The name scope.
      read_batch_size: How many examples are read at a time; `batch_size` if None.

    Raises:
      ValueError: No file is there, or a number makes no sense.
    """
    with name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input,
            num_epochs,
            queue_capacity,
            reader_num_threads,
            batch_size if read_batch_size is None else read_batch_size,
            parse_fn,
            scope,
        )
        return queue_parsed_features(
            parse_example(examples, features),
            keys,
            feature_queue_capacity,
            num_enqueue_threads,
            scope,
        )


def read_keyed_batch_features_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_queue_runners: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """As `read_keyed_batch_features`; who shares the graph's variables shares the files."""
    with name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples_shared_queue(
            file_pattern,
            batch_size,
            reader,
            randomize_input,
            num_epochs,
            queue_capacity,
            reader_num_threads,
            batch_size,
            parse_fn,
            scope,
        )
        return queue_parsed_features(
            parse_example(examples, features),
            keys,
            feature_queue_capacity,
            num_queue_runners,
            scope,
        )


def _read(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool,
    num_epochs: int | None,
    queue_capacity: int,
    num_threads: int,
    read_batch_size: Any,
    parse_fn: Callable[[Any], Any] | None,
    shared: bool,
    name: str | None,
    seed: int | None,
    filter_fn: Callable[[Any, Any], Any] | None = None,
) -> Any:
    files = _files(file_pattern, randomize_input)
    _check(batch_size, queue_capacity, num_threads, read_batch_size, num_epochs)
    with name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        with name_scope("file_name_queue") as of_files:
            if shared:
                queue = FIFOQueue(1, [dtypes.string], [[]])
                following = seek_next(files, randomize_input, seed, num_epochs)
                add_queue_runner(QueueRunner(queue, [queue.enqueue(following)]))
            else:
                queue = string_input_producer(
                    constant(files, name="input"), num_epochs, randomize_input, seed, name=of_files
                )
        several = isinstance(read_batch_size, Tensor) or read_batch_size > 1
        examples = []
        with name_scope("read"):
            for _ in range(num_threads):
                made = reader()
                keys, found = (
                    made.read_up_to(queue, read_batch_size) if several else made.read(queue)
                )
                examples.append(_example(keys, found, filter_fn, parse_fn))
        smaller = num_epochs is not None
        if randomize_input:
            if isinstance(batch_size, Tensor):
                kept = int(queue_capacity * 0.4)
            else:
                kept = max(queue_capacity - 3 * batch_size, batch_size)
            batch = shuffle_batch_join(
                examples,
                batch_size,
                queue_capacity,
                kept,
                seed,
                several,
                allow_smaller_final_batch=smaller,
                name=scope,
            )
        else:
            batch = batch_join(
                examples,
                batch_size,
                queue_capacity,
                several,
                allow_smaller_final_batch=smaller,
                name=scope,
            )
        if parse_fn is not None and isinstance(batch, dict):
            return batch.pop(KEY_FEATURE_NAME), batch
        return batch


def _example(keys: Any, found: Any, filter_fn: Any, parse_fn: Any) -> Any:
    if filter_fn is not None:
        mask = filter_fn(keys, found)
        keys, found = boolean_mask(keys, mask), boolean_mask(found, mask)
    if parse_fn is not None:
        found = parse_fn(found)
    return found | {KEY_FEATURE_NAME: keys} if isinstance(found, dict) else (keys, found)


def _files(patterns: Any, randomize: bool) -> list[str]:
    if isinstance(patterns, list) and not patterns:
        raise ValueError("No files given to dequeue_examples.")
    found = [
        file
        for pattern in (patterns if isinstance(patterns, list) else [patterns])
        for file in glob(pattern)
    ]
    if not found:
        raise ValueError(f"No files match {patterns}.")
    return found if randomize else sorted(found)


def _check(
    batch_size: Any, capacity: Any, threads: Any, read_batch_size: Any, epochs: int | None
) -> None:
    if not capacity or capacity <= 0:
        raise ValueError(f"Invalid queue_capacity {capacity}.")
    if batch_size is None or (
        not isinstance(batch_size, Tensor) and (batch_size <= 0 or batch_size >= capacity)
    ):
        raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {capacity}.")
    if read_batch_size is None or (
        not isinstance(read_batch_size, Tensor) and read_batch_size <= 0
    ):
        raise ValueError(f"Invalid read_batch_size {read_batch_size}.")
    if not threads or threads <= 0:
        raise ValueError(f"Invalid num_threads {threads}.")
    if epochs is not None and epochs <= 0:
        raise ValueError(f"Invalid num_epochs {epochs}.")

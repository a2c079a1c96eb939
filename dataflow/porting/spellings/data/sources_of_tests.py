"""data.experimental.ops.matching_files and readers, data.util.traverse: what tests of them ask."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.readers import TFRecordDataset
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_AUTOTUNE = -1
_CHOSEN_AMONG = 10_000
"""Records among which the next one is chosen, if nobody says how many."""


class MatchingFilesDataset(DatasetBase):
    """The names of the files that match patterns, in order."""

    def __new__(cls, patterns: Any) -> Any:
        """Takes the patterns: a string or several."""
        given = convert_to_tensor(patterns, dtype=dtypes.string, name="patterns")
        spec = TensorSpec(TensorShape([]), dtypes.string)
        return DatasetBase._made(apply_op("MatchingFilesDataset", given), spec)


def make_tf_record_dataset(
    file_pattern: Any,
    batch_size: Any,
    parser_fn: Callable[[Any], Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = None,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    num_parallel_parser_calls: Any = None,
    drop_final_batch: bool = False,
) -> Any:
    """Batches of the records of files, or of what a function makes of each of them.

    Args:
      file_pattern: Names or patterns of files: a string or a list.
      batch_size: How many records a batch has.
      parser_fn: Takes a record.
      num_epochs: How many times all files are read; without end if None.
      shuffle: Whether files and records come in a random order.
      shuffle_buffer_size: Among how many records the next one is chosen.
      shuffle_seed: Decides on the order.
      prefetch_buffer_size: How many batches are made ahead; a good number if None.
      num_parallel_reads: How many files are read in turns; one if None.
      num_parallel_parser_calls: How many records are parsed at a time; those of a batch if None.
      drop_final_batch: Whether a last batch with fewer records is left out.
    """
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset: Any = TFRecordDataset(files, num_parallel_reads=num_parallel_reads)
    if shuffle:
        among = _CHOSEN_AMONG if shuffle_buffer_size is None else shuffle_buffer_size
        dataset = dataset.shuffle(among, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    if parser_fn is not None:
        calls = batch_size if num_parallel_parser_calls is None else num_parallel_parser_calls
        dataset = dataset.map(parser_fn, num_parallel_calls=calls)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    ahead = _AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    return dataset if ahead == 0 else dataset.prefetch(ahead)


def obtain_all_variant_tensor_ops(dataset: Any) -> list[Operation]:
    """The ops whose variants a dataset is made of, its own first."""
    found: list[Operation] = []
    waiting = deque([dataset._variant_tensor.op])
    seen: set[Operation] = set()
    while waiting:
        op = waiting.popleft()
        seen.add(op)
        if op.outputs[0].dtype == dtypes.variant:
            found.append(op)
        waiting.extend(tensor.op for tensor in op.inputs if tensor.op not in seen)
    return found

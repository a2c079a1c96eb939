"""tensorflow.python.keras.utils.data_utils: hashes of files, endless sequences, processes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from dataflow.keras import utils
from dataflow.keras.conveniences import hash_file
from dataflow.keras.conveniences import validate_file as validate_file
from dataflow.keras.experimental import (
    terminate_keras_multiprocessing_pools as terminate_keras_multiprocessing_pools,
)

_hash_file = hash_file


def is_generator_or_sequence(x: Any) -> bool:
    """True of what batches are taken from one by one."""
    return inspect.isgenerator(x) or isinstance(x, utils.Sequence)


def iter_sequence_infinite(seq: Any) -> Iterator[Any]:
    """The batches of a sequence, again and again."""
    while True:
        yield from seq

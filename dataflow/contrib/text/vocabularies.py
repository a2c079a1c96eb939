"""Skip-grams of the words that a file of counts has."""

from __future__ import annotations

import csv
from typing import Any

from dataflow.contrib.lookup.tables import HashTable
from dataflow.contrib.text.skip_grams import skip_gram_sample
from dataflow.graph.tensor import Tensor
from dataflow.library.files.gfile import GFile
from dataflow.library.lookup.initializers import TextFileInitializer
from dataflow.values import dtypes


def skip_gram_sample_with_text_vocab(
    input_tensor: Any,
    vocab_freq_file: str,
    vocab_token_index: int = 0,
    vocab_token_dtype: Any = dtypes.string,
    vocab_freq_index: int = 1,
    vocab_freq_dtype: Any = dtypes.float64,
    vocab_delimiter: str = ",",
    vocab_min_count: Any = 0,
    vocab_subsampling: float | None = None,
    corpus_size: Any = None,
    min_skips: Any = 1,
    max_skips: Any = 5,
    start: Any = 0,
    limit: Any = -1,
    emit_self_as_target: Any = False,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `skip_gram_sample`, with counts of words from a file.

    Args:
      input_tensor: See there.
      vocab_freq_file: A word and its count on each line.
      vocab_token_index: In which column words are.
      vocab_token_dtype: Their type.
      vocab_freq_index: In which column counts are.
      vocab_freq_dtype: Their type.
      vocab_delimiter: What parts columns.
      vocab_min_count: See there.
      vocab_subsampling: See there.
      corpus_size: The sum of the file's counts, if it is not given.
      min_skips: See there.
      max_skips: See there.
      start: See there.
      limit: See there.
      emit_self_as_target: See there.
      batch_size: See there.
      batch_capacity: See there.
      seed: See there.
      name: See there.

    Raises:
      ValueError: A column is negative, missing or used twice, a count is negative, or the given
        size is less than their sum.
    """
    if vocab_token_index < 0 or vocab_freq_index < 0:
        raise ValueError(
            f"vocab_token_index={vocab_token_index} and vocab_freq_index={vocab_freq_index} must "
            "both be >= 0."
        )
    if vocab_token_index == vocab_freq_index:
        raise ValueError(
            "vocab_token_index and vocab_freq_index should be different, but are both "
            f"{vocab_token_index}."
        )
    total, rows = 0.0, 0
    with GFile(vocab_freq_file) as file:
        for row in csv.reader(file, delimiter=vocab_delimiter):
            if max(vocab_token_index, vocab_freq_index) >= len(row):
                raise ValueError(
                    f"Row in vocab file only has {len(row)} columns, so vocab_token_index="
                    f"{vocab_token_index} or vocab_freq_index={vocab_freq_index} is out of bounds. "
                    f"Row content: {row}"
                )
            count = dtypes.as_dtype(vocab_freq_dtype).as_numpy_dtype(row[vocab_freq_index])
            if count < 0:
                raise ValueError(
                    f"Row in vocab file has negative frequency of {count}. Row content: {row}"
                )
            rows, total = rows + 1, total + count
    if corpus_size and total - corpus_size > 1e-6:
        raise ValueError(
            f"`corpus_size`={corpus_size} must be greater than or equal to the sum of all the "
            f"frequency counts ({total}) of `vocab_freq_file` ({vocab_freq_file})."
        )
    initializer = TextFileInitializer(
        vocab_freq_file,
        key_dtype=vocab_token_dtype,
        key_index=vocab_token_index,
        value_dtype=vocab_freq_dtype,
        value_index=vocab_freq_index,
        vocab_size=rows,
        delimiter=vocab_delimiter,
    )
    return skip_gram_sample(
        input_tensor,
        min_skips,
        max_skips,
        start,
        limit,
        emit_self_as_target,
        HashTable(initializer, -1),
        vocab_min_count,
        vocab_subsampling,
        None if vocab_subsampling is None else corpus_size or total,
        batch_size,
        batch_capacity,
        seed,
        name,
    )

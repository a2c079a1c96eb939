"""tf.keras.datasets.reuters: news, and which of 46 topics they are of."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.keras.conveniences import get_file
from dataflow.keras.datasets.pickled import read_arrays
from dataflow.keras.datasets.word_sequences import (
    ADDRESS,
    Words,
    as_array,
    read_word_index,
    renamed_limit,
    shorter,
    shuffled,
)

FILE_HASH: Final = "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"
WORDS_HASH: Final = "4d44cc38712099c9e383dc6e5f11a921"


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Any:
    """Sequences of ranks and topics for training, and for tests: (x, y), (x, y).

    Args:
      path: Name of the file in `~/.keras/datasets`.
      num_words: Words of this rank or more are not kept; None for all.
      skip_top: How many of the most frequent words are not kept.
      maxlen: Sequences of as many numbers or more are left out.
      test_split: The share that is for tests.
      seed: Of the order.
      start_char: What every sequence begins with, or None.
      oov_char: What stands for a word that is not kept; None leaves it out.
      index_from: What ranks are counted from.
      **kwargs: `nb_words`, an older name of `num_words`.

    Raises:
      OSError: The file is not there and cannot be loaded.
      TypeError: There is another argument.
    """
    words = Words(renamed_limit(num_words, kwargs), skip_top, start_char, oov_char, index_from)
    file = get_file(path, f"{ADDRESS}reuters.npz", file_hash=FILE_HASH)
    x, y = read_arrays(file, "x", "y")
    np.random.seed(seed)
    x, y = shuffled(x, y)
    texts = words.numbered(list(x))
    labels: Any = y
    if maxlen:
        texts, labels = shorter(maxlen, texts, labels)
    texts, end = words.kept(texts), int(len(texts) * (1 - test_split))
    return (
        (as_array(texts[:end]), np.array(labels[:end])),
        (as_array(texts[end:]), np.array(labels[end:])),
    )


def get_word_index(path: str = "reuters_word_index.json") -> Any:
    """The rank of each word.

    Raises:
      OSError: The file is not there and cannot be loaded.
    """
    return read_word_index(path, "reuters_word_index.json", WORDS_HASH)

"""tf.keras.datasets.imdb: what people wrote of films, and whether they liked them."""

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

FILE_HASH: Final = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"
WORDS_HASH: Final = "bfafd718b763782e994055a2d397834f"


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Any:
    """Sequences of ranks and labels, 0 or 1, for training, and for tests: (x, y), (x, y).

    Args:
      path: Name of the file in `~/.keras/datasets`.
      num_words: Words of this rank or more are not kept; None for all.
      skip_top: How many of the most frequent words are not kept.
      maxlen: Sequences of as many numbers or more are left out.
      seed: Of the order.
      start_char: What every sequence begins with, or None.
      oov_char: What stands for a word that is not kept; None leaves it out.
      index_from: What ranks are counted from.
      **kwargs: `nb_words`, an older name of `num_words`.

    Raises:
      OSError: The file is not there and cannot be loaded.
      ValueError: `maxlen` leaves no sequence.
      TypeError: There is another argument.
    """
    words = Words(renamed_limit(num_words, kwargs), skip_top, start_char, oov_char, index_from)
    file = get_file(path, f"{ADDRESS}imdb.npz", file_hash=FILE_HASH)
    train, y_train, test, y_test = read_arrays(file, "x_train", "y_train", "x_test", "y_test")
    np.random.seed(seed)
    train, y_train = shuffled(train, y_train)
    test, y_test = shuffled(test, y_test)
    texts = words.numbered([*train, *test])
    labels: Any = np.concatenate([y_train, y_test])
    if maxlen:
        texts, labels = shorter(maxlen, texts, labels)
        if not texts:
            raise ValueError(
                f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept."
                " Increase maxlen."
            )
    texts, end = words.kept(texts), len(train)
    return (
        (as_array(texts[:end]), np.array(labels[:end])),
        (as_array(texts[end:]), np.array(labels[end:])),
    )


def get_word_index(path: str = "imdb_word_index.json") -> Any:
    """The rank of each word.

    Raises:
      OSError: The file is not there and cannot be loaded.
    """
    return read_word_index(path, "imdb_word_index.json", WORDS_HASH)

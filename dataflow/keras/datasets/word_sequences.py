"""Texts as sequences of the ranks of their words: how tf.keras' data sets of texts are cut."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.keras.conveniences import get_file

ADDRESS: Final = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


@dataclass(frozen=True)
class Words:
    """Which words are kept, and what stands for others.

    Attributes:
      num_words: Ranks below it are kept; all if it is None or 0.
      skip_top: Ranks from it on are kept.
      start_char: What every sequence begins with, or None for nothing.
      oov_char: What stands for a word that is not kept; None leaves it out.
      index_from: What ranks are counted from.
    """

    num_words: int | None
    skip_top: int
    start_char: int | None
    oov_char: int | None
    index_from: int

    def numbered(self, texts: Sequence[Any]) -> list[list[int]]:
        """The texts with the start in front, all ranks moved."""
        if self.start_char is not None:
            return [[self.start_char, *(w + self.index_from for w in text)] for text in texts]
        return [[w + self.index_from for w in text] for text in texts]

    def kept(self, texts: Sequence[list[int]]) -> list[list[int]]:
        """The texts without, or with the sign for, the words that are not kept."""
        low, end = self.skip_top, self.num_words or max(max(text) for text in texts)
        if self.oov_char is None:
            return [[w for w in text if low <= w < end] for text in texts]
        return [[w if low <= w < end else self.oov_char for w in text] for text in texts]


def renamed_limit(num_words: int | None, older: dict[str, Any]) -> int | None:
    """`num_words`, which may be told by its older name.

    Raises:
      TypeError: There is another argument.
    """
    if "nb_words" in older:
        logging.getLogger("tensorflow").warning(
            "The `nb_words` argument in `load_data` has been renamed `num_words`."
        )
        num_words = older.pop("nb_words")
    if older:
        raise TypeError(f"Unrecognized keyword arguments: {older}")
    return num_words


def shuffled(*columns: np.ndarray) -> list[np.ndarray]:
    """The columns in one random order, drawn from numpy's global generator."""
    order = np.arange(len(columns[0]))
    np.random.shuffle(order)
    return [column[order] for column in columns]


def shorter(maxlen: int, texts: list[list[int]], labels: Any) -> tuple[list[list[int]], list[Any]]:
    """The texts of fewer numbers than that, with their labels."""
    pairs = [(t, label) for t, label in zip(texts, labels, strict=True) if len(t) < maxlen]
    return [text for text, _ in pairs], [label for _, label in pairs]


def as_array(texts: list[list[int]]) -> np.ndarray:
    """An array of lists; of numbers, shape [texts, length], if all are of one length."""
    if len({len(text) for text in texts}) <= 1:
        return np.array(texts)
    array = np.empty(len(texts), object)
    array[:] = texts
    return array


def read_word_index(path: str, file: str, file_hash: str) -> Any:
    """The rank of each word, by a file of that name in the folder of the data sets."""
    with open(get_file(path, ADDRESS + file, file_hash=file_hash), encoding="utf-8") as opened:
        return json.load(opened)

"""tf.keras.preprocessing.text: words of texts as numbers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

import numpy as np

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(
    text: str, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """The words of a text, without the letters in `filters`."""
    text = text.lower() if lower else text
    for each in filters:
        text = text.replace(each, split)
    return [each for each in text.split(split) if each]


def one_hot(
    text: str, n: int, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[int]:
    """A number below `n` for each word, by its hash."""
    return hashing_trick(text, n, hash, filters, lower, split)


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """A number below `n` for each word, by a hash: Python's own, "md5", or a function."""
    if hash_function is None:
        hash_function = hash
    elif hash_function == "md5":

        def hash_function(word: str) -> int:
            return int(hashlib.md5(word.encode()).hexdigest(), 16)

    words = text_to_word_sequence(text, filters, lower, split)
    return [hash_function(each) % (n - 1) + 1 for each in words]


class Tokenizer:
    """Gives words numbers, the most frequent one 1.

    Args:
      num_words: The numbers from this one on are left out; None for none.
      filters: Letters that are left out.
      lower: Whether words are in small letters.
      split: What stands between words.
      char_level: Whether each letter is a word.
      oov_token: What stands for words without a number.
      document_count: The number of texts so far.
      **kwargs: `nb_words`, the former name of `num_words`.

    Raises:
      TypeError: There is no such argument.
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        document_count: int = 0,
        **kwargs: Any,
    ) -> None:
        self.num_words = kwargs.pop("nb_words", num_words)
        document_count = kwargs.pop("document_count", document_count)
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.filters, self.lower, self.split = filters, lower, split
        self.char_level, self.oov_token, self.document_count = char_level, oov_token, document_count
        self.word_counts: dict[str, int] = {}
        self.word_docs: Counter[str] = Counter()
        self.index_docs: Counter[int] = Counter()
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def _words(self, text: Any) -> list[str]:
        if self.char_level or isinstance(text, list):
            if self.lower:
                return (
                    [each.lower() for each in text] if isinstance(text, list) else [*text.lower()]
                )
            return list(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Any) -> None:
        """Counts the words of texts, and numbers them."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for each in words:
                self.word_counts[each] = self.word_counts.get(each, 0) + 1
            self.word_docs.update(set(words))
        ordered = sorted(self.word_counts.items(), key=lambda pair: pair[1], reverse=True)
        names = [] if self.oov_token is None else [self.oov_token]
        names += [name for name, _ in ordered]
        self.word_index = {name: number for number, name in enumerate(names, start=1)}
        self.index_word = {number: name for name, number in self.word_index.items()}
        self.index_docs = Counter({self.word_index[w]: n for w, n in self.word_docs.items()})

    def fit_on_sequences(self, sequences: Any) -> None:
        """Counts the numbers of sequences."""
        self.document_count += len(sequences)
        for each in sequences:
            self.index_docs.update(set(each))

    def texts_to_sequences(self, texts: Any) -> list[list[int]]:
        """The numbers of the words of texts."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Any) -> Any:
        """The same, one text after the other."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        for text in texts:
            found = []
            for word in self._words(text):
                number = self.word_index.get(word)
                if number is None or (self.num_words and number >= self.num_words):
                    number = unknown
                if number is not None:
                    found.append(number)
            yield found

    def sequences_to_texts(self, sequences: Any) -> list[str]:
        """The words of numbers."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Any) -> Any:
        """The same, one text after the other."""
        for each in sequences:
            words = []
            for number in each:
                word = self.index_word.get(number)
                if word is None or (self.num_words and number >= self.num_words):
                    word = self.oov_token
                if word is not None:
                    words.append(word)
            yield " ".join(words)

    def texts_to_matrix(self, texts: Any, mode: str = "binary") -> Any:
        """A row for each text; see `sequences_to_matrix`."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> Any:
        """A row for each sequence: whether, how often or how much each number is in it.

        Raises:
          ValueError: `mode` is none of "binary", "count", "freq" and "tfidf", or nothing has been
            counted.
        """
        if not self.num_words and not self.word_index:
            raise ValueError(
                "Specify a dimension (`num_words` argument), or fit on some text data first."
            )
        width = self.num_words or len(self.word_index) + 1
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        matrix = np.zeros((len(sequences), width))
        for row, each in enumerate(sequences):
            for number, count in Counter(n for n in each if n < width).items():
                if mode == "count":
                    matrix[row, number] = count
                elif mode == "freq":
                    matrix[row, number] = count / len(each)
                elif mode == "binary":
                    matrix[row, number] = 1
                elif mode == "tfidf":
                    documents = self.document_count / (1 + self.index_docs.get(number, 0))
                    matrix[row, number] = (1 + np.log(count)) * np.log(1 + documents)
                else:
                    raise ValueError("Unknown vectorization mode:", mode)
        return matrix

    def get_config(self) -> dict[str, Any]:
        """The arguments and what has been counted, as JSON where it is a table."""
        names = ("num_words", "filters", "lower", "split", "char_level", "oov_token",
                 "document_count")  # fmt: skip
        tables = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
        return {
            **{name: getattr(self, name) for name in names},
            **{name: json.dumps(getattr(self, name)) for name in tables},
        }

    def to_json(self, **kwargs: Any) -> str:
        """What `tokenizer_from_json` makes the tokenizer of again."""
        told = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(told, **kwargs)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """The tokenizer of what `to_json` gave."""
    config = json.loads(json_string)["config"]
    tables = {
        name: json.loads(config.pop(name))
        for name in ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
    }
    made = Tokenizer(**config)
    made.word_counts, made.word_index = tables["word_counts"], tables["word_index"]
    made.word_docs = Counter(tables["word_docs"])
    made.index_docs = Counter({int(k): v for k, v in tables["index_docs"].items()})
    made.index_word = {int(k): v for k, v in tables["index_word"].items()}
    return made

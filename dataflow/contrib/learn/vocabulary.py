"""Documents as rows of word numbers: VocabularyProcessor, CategoricalVocabulary."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np

_TOKEN: Final = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each document."""
    for value in iterator:
        yield _TOKEN.findall(value)


class CategoricalVocabulary:
    """Numbers of categories, in the order in which they come; 0 is unknown."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        """Makes an empty vocabulary.

        Args:
          unknown_token: What 0 is shown as.
          support_reverse: Whether categories can be told from numbers.
        """
        self._unknown_token = unknown_token
        self._mapping = {unknown_token: 0}
        self._support_reverse = support_reverse
        self._reverse_mapping = [unknown_token]
        self._freq: dict[Any, int] = {}
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Lets no further category be added, or lets it."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a category, which is added if it is new; 0 if it cannot be."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category."""
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps categories counted more often than this, the most frequent first.

        Args:
          min_frequency: Those counted as often or less are dropped.
          max_frequency: Those counted as often or more are dropped, if not negative.
        """
        counted = sorted(
            sorted(self._freq.items(), key=lambda pair: (isinstance(pair[0], str), pair[0])),
            key=lambda pair: pair[1],
            reverse=True,
        )
        self._mapping = {self._unknown_token: 0}
        self._reverse_mapping = [self._unknown_token]
        for category, count in counted:
            if count <= min_frequency:
                break
            if 0 <= max_frequency <= count:
                continue
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        self._freq = {name: n for name, n in counted if name in self._mapping}

    def reverse(self, class_id: int) -> Any:
        """The category of a number.

        Raises:
          ValueError: The vocabulary does not support this.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Documents as rows of a fixed number of word numbers."""

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterator[list[str]]] | None = None,
    ) -> None:
        """Makes a processor.

        Args:
          max_document_length: How many words a row has: longer ones are cut, shorter ones filled
            with 0.
          min_frequency: Words counted as often or less are unknown.
          vocabulary: The words.
          tokenizer_fn: Lists of words for documents.
        """
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self._tokenizer = tokenizer if tokenizer_fn is None else tokenizer_fn

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of documents."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """Learns the words of documents, and gives their rows."""
        documents = list(raw_documents)
        self.fit(documents)
        return self.transform(documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Gives the rows of documents."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for index, token in enumerate(tokens[: self.max_document_length]):
                row[index] = self.vocabulary_.get(token)
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of rows, with blanks between."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(class_id) for class_id in row)

    def save(self, filename: Any) -> None:
        """Writes the processor to a file, as JSON: nothing that is read back may run code."""
        words = self.vocabulary_
        state = {
            "max_document_length": self.max_document_length,
            "min_frequency": self.min_frequency,
            "words": words._reverse_mapping,
            "counts": words._freq,
            "support_reverse": words._support_reverse,
            "frozen": words._freeze,
        }
        with open(filename, "w", encoding="utf-8") as file:
            json.dump(state, file)

    @classmethod
    def restore(cls, filename: Any) -> VocabularyProcessor:
        """The processor that `save` has written; it has the default tokenizer."""
        with open(filename, encoding="utf-8") as file:
            state = json.load(file)
        words = CategoricalVocabulary(state["words"][0], state["support_reverse"])
        words._reverse_mapping = state["words"]
        words._mapping = {word: index for index, word in enumerate(state["words"])}
        words._freq = state["counts"]
        words._freeze = state["frozen"]
        return cls(state["max_document_length"], state["min_frequency"], words)

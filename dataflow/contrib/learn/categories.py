"""Bytes and categories as numbers: ByteProcessor, CategoricalProcessor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from dataflow.contrib.learn.vocabulary import CategoricalVocabulary


class ByteProcessor:
    """Documents as rows of their bytes, of one length."""

    def __init__(self, max_document_length: int) -> None:
        """Takes how long rows are; longer documents are cut, shorter ones end with zeros."""
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """Does nothing: there is nothing to learn."""

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[Any]:
        """See `transform`."""
        return self.transform(x)

    def transform(self, x: Iterable[str | bytes]) -> Iterator[Any]:
        """The bytes of each document, uint8; of a str those in UTF-8."""
        for document in x:
            data = document.encode() if isinstance(document, str) else bytes(document)
            found = np.frombuffer(data[: self.max_document_length], np.uint8)
            yield np.pad(found, (0, self.max_document_length - len(found)))

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """The documents of rows; an empty one of what is no UTF-8."""
        for row in x:
            document = np.trim_zeros(np.asarray(row).astype(np.uint8), "b").tobytes()
            try:
                yield document.decode()
            except UnicodeDecodeError:
                yield ""


class CategoricalProcessor:
    """Rows of categories as rows of numbers, by a vocabulary for each column or one for all."""

    def __init__(
        self,
        min_frequency: int = 0,
        share: bool = False,
        vocabularies: Sequence[CategoricalVocabulary] | None = None,
    ) -> None:
        """Makes a processor.

        Args:
          min_frequency: Categories that come no more often are unknown.
          share: Whether all columns have one vocabulary.
          vocabularies: That of each column; they are made by the first row if None.
        """
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = None if vocabularies is None else list(vocabularies)

    def freeze(self, freeze: bool = True) -> None:
        """Lets no further categories be added, or lets them."""
        for each in self.vocabularies_ or ():
            each.freeze(freeze)

    def fit(self, x: Iterable[Sequence[Any]], unused_y: Any = None) -> CategoricalProcessor:
        """Learns the categories of rows; NaN is none. Gives this processor."""
        for row in x:
            if self.vocabularies_ is None:
                first = CategoricalVocabulary()
                self.vocabularies_ = [first if self.share else CategoricalVocabulary() for _ in row]
            for vocabulary, value in zip(self.vocabularies_, row, strict=False):
                if not _is_nan(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for each in self.vocabularies_ or ():
                each.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Sequence[Sequence[Any]], unused_y: Any = None) -> Iterator[Any]:
        """Learns the categories of rows, and gives their numbers."""
        return self.fit(x).transform(x)

    def transform(self, x: Iterable[Sequence[Any]]) -> Iterator[Any]:
        """The numbers of each row, int64; 0 of what is unknown or NaN."""
        self.freeze()
        for row in x:
            pairs = zip(self.vocabularies_ or (), row, strict=False)
            numbers = [0 if _is_nan(value) else known.get(value) for known, value in pairs]
            yield np.array(numbers, np.int64)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)

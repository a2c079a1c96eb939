"""tf.keras.preprocessing.sequence: sequences of one length, and pairs of words."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from dataflow.keras.conveniences import Sequence


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Any:
    """Sequences as rows of one array, filled up and cut in front ("pre") or behind ("post").

    Raises:
      ValueError: An argument has a value that it cannot have, or shapes differ.
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for each in sequences:
        if not hasattr(each, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {each}")
    if truncating not in ("pre", "post"):
        raise ValueError(f'Truncating type "{truncating}" not understood')
    if padding not in ("pre", "post"):
        raise ValueError(f'Padding type "{padding}" not understood')
    length = max((len(each) for each in sequences), default=0) if maxlen is None else maxlen
    inner: tuple[int, ...] = next((np.asarray(s).shape[1:] for s in sequences if len(s)), ())
    padded = np.full((len(sequences), length, *inner), value, dtype=dtype)
    for row, each in enumerate(sequences):
        if not len(each):
            continue
        kept = each[-length:] if truncating == "pre" else each[:length]
        kept = np.asarray(kept, dtype=dtype)
        if kept.shape[1:] != inner:
            raise ValueError(
                f"Shape of sample {kept.shape[1:]} of sequence at position {row} is different from "
                f"expected shape {inner}"
            )
        if not length:
            continue
        if padding == "post":
            padded[row, : len(kept)] = kept
        else:
            padded[row, -len(kept) :] = kept
    return padded


def make_sampling_table(size: int, sampling_factor: float = 1e-05) -> Any:
    """The probability to keep the word of each rank (Mikolov et al., 2013)."""
    gamma = 0.577
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + gamma) + 0.5 - 1.0 / (12.0 * rank)
    frequency = sampling_factor * inverse
    return np.minimum(1.0, frequency / np.sqrt(frequency))


def skipgrams(
    sequence: Any,
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: Any = None,
) -> Any:
    """Pairs of words that stand near each other, and of words that do not, and which is which."""
    couples: list[list[int]] = []
    labels: list[Any] = []
    for place, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        for other in range(
            max(0, place - window_size), min(len(sequence), place + window_size + 1)
        ):
            if other != place and sequence[other]:
                couples.append([word, sequence[other]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        words = [couple[0] for couple in couples]
        random.shuffle(words)
        for index in range(int(len(labels) * negative_samples)):
            couples.append([words[index % len(words)], random.randint(1, vocabulary_size - 1)])
            labels.append([1, 0] if categorical else 0)
    if shuffle:
        chosen = random.randint(0, 10_000_000) if seed is None else seed
        for each in (couples, labels):
            random.Random(chosen).shuffle(each)
    return couples, labels


class TimeseriesGenerator(Sequence):
    """Windows of a series, and what comes behind each."""

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(
                "Data and targets have to be of same length. Data length is "
                f"{len(data)} while target length is {len(targets)}"
            )
        self.data, self.targets, self.length = data, targets, length
        self.sampling_rate, self.stride = sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is "
                "disallowed, as no part of the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        count = self.end_index - self.start_index + self.batch_size * self.stride
        return count // (self.batch_size * self.stride)

    def __getitem__(self, index: int) -> Any:
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            last = min(first + self.batch_size * self.stride, self.end_index + 1)
            rows = np.arange(first, last, self.stride)
        samples = np.array(
            [self.data[row - self.length : row : self.sampling_rate] for row in rows]
        )
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...] if self.reverse else samples), targets

    def get_config(self) -> dict[str, Any]:
        """The arguments, series and targets as JSON.

        Raises:
          TypeError: One of these cannot be told as JSON.
        """
        return {
            "data": _as_json("Data", self.data),
            "targets": _as_json("Targets", self.targets),
            "length": self.length,
            "sampling_rate": self.sampling_rate,
            "stride": self.stride,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "shuffle": self.shuffle,
            "reverse": self.reverse,
            "batch_size": self.batch_size,
        }

    def to_json(self, **kwargs: Any) -> str:
        """The configuration and the name of the class as JSON.

        Args:
          **kwargs: For `json.dumps`.
        """
        whole = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(whole, **kwargs)


def _as_json(what: str, values: Any) -> str:
    values = values.tolist() if isinstance(values, np.ndarray) else values
    try:
        return json.dumps(values)
    except TypeError:
        raise TypeError(f"{what} not JSON Serializable:", values) from None

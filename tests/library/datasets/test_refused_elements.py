"""Elements that cannot be rows, and records of which quotes cannot be read: as in TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow
from tests.library.datasets.streams import open_session
from tests.oracle import oracle

_RECORDS = (
    'a,"b"c\nd,e\n',
    'a,"b"c,"d"\ne,f,g\n',
    'a,"b""\nc,d\n',
    'a,"b"\nc,"d"e\nf,"g"\n',
    'a,"b"c"d"\ne,"f"\n',
    'a,"b"c\nd,"e"\nf,g\n',
    'a,"b"c",d\ne,f\n',
    'a,b"c\nd,"e\nf"\n',
    'a,b"c,"d\ne"\nf,g\n',
    'a,"b"',
    'a,"b"c"',
    'a,"b',
    '"a"b,"c\r\nd,e\r\nf,"g"\r\n',
)


def _records(tf: Any, path: Path) -> Any:
    return tf.data.experimental.CsvDataset(str(path), [tf.string, tf.string])


def _found(tf: Any, build: Any) -> list[Any]:
    """Elements, and the classes of errors in their places with what those end in."""
    with tf.Graph().as_default() as graph:
        iterator = tf.data.make_initializable_iterator(build(tf))
        following = iterator.get_next()
        found: list[Any] = []
        with open_session(tf, graph, "") as session:
            session.run(iterator.initializer)
            while len(found) < 12:
                try:
                    found.append([part.tolist() for part in map(_array, session.run(following))])
                except tf.errors.OutOfRangeError:
                    break
                except tf.errors.OpError as error:
                    found.append((type(error).__name__, _reason(error.message)))
    return found


def _array(value: Any) -> Any:
    return np.asarray(value)


def _reason(message: str) -> str:
    words = ("Input element", "Quote", "Reached", "Unquoted", "Expect")
    return next(line for line in message.splitlines() if line.startswith(words))


@pytest.mark.parametrize("text", _RECORDS)
def test_quotes(text: str, tmp_path: Path) -> None:
    path = tmp_path / "records"
    path.write_bytes(text.encode())
    assert _found(dataflow, lambda tf: _records(tf, path)) == _found(
        oracle, lambda tf: _records(tf, path)
    )


@pytest.mark.parametrize("piece", [1, 3, 1 << 18])
def test_quotes_in_pieces(piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "records"
    path.write_bytes(_RECORDS[5].encode() + b'h,"i""j"\n')
    wanted = _found(oracle, lambda tf: _records(tf, path))
    monkeypatch.setattr("dataflow.kernels.datasets.csv._PIECE", piece)
    assert _found(dataflow, lambda tf: _records(tf, path)) == wanted


@pytest.mark.parametrize(("dims", "row"), [(1, [2]), (1, [3]), (2, [9]), (1, [None])])
def test_rows_of_sparse_batches(dims: int, row: list[int | None]) -> None:
    def build(tf: Any) -> Any:
        filled = tf.data.Dataset.range(1, 6).map(lambda x: tf.fill([x] * dims, x))
        return filled.apply(tf.data.experimental.dense_to_sparse_batch(2, row))

    assert _found(dataflow, build) == _found(oracle, build)


@pytest.mark.parametrize("tf", [oracle, dataflow], ids=["tensorflow", "ours"])
def test_sizes_of_rows_below_zero(tf: Any) -> None:
    for size in (-1, -2):
        with pytest.raises(ValueError, match=f"Dimension {size} must be >= 0"):
            tf.data.Dataset.range(3).apply(tf.data.experimental.dense_to_sparse_batch(2, [size]))

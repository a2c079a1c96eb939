"""Data sets whose files Python pickled: what is loaded of them, and what is refused."""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.keras.datasets.pickled import read_arrays, read_pickle

keras: Any = tf.keras
datasets: Any = keras.datasets


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files at hand are looked for."""
    monkeypatch.setenv("HOME", str(tmp_path))
    made = tmp_path / ".keras" / "datasets"
    made.mkdir(parents=True)
    return made


def _hash(path: Path, kind: str = "sha256") -> str:
    return hashlib.new(kind, path.read_bytes()).hexdigest()


def _texts(count: int, seed: int, longest: int = 9) -> np.ndarray:
    random = np.random.RandomState(seed)
    array = np.empty(count, object)
    array[:] = [random.randint(1, 30, random.randint(1, longest)).tolist() for _ in range(count)]
    # Moved by 3, the first and the last rank of what some of the ways keep.
    array[0] = [3, 16, 17]
    return array


def _tar(path: Path, files: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def _as_python_2(images: np.ndarray, label: bytes, labels: list[int]) -> bytes:
    return pickle.dumps({b"data": images, label: labels, b"batch_label": b"part"}, protocol=2)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_cifar10(folder: Path, monkeypatch: pytest.MonkeyPatch, data_format: str) -> None:
    random = np.random.RandomState(0)
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    images = {name: random.randint(0, 256, (4, 3072)).astype(np.uint8) for name in names}
    labels = {name: random.randint(0, 10, 4).tolist() for name in names}
    path = folder / "cifar-10-batches-py.tar.gz"
    _tar(
        path,
        {
            f"cifar-10-batches-py/{name}": _as_python_2(images[name], b"labels", labels[name])
            for name in names
        },
    )
    monkeypatch.setattr(datasets.cifar10, "FILE_HASH", _hash(path))
    before = keras.backend.image_data_format()
    keras.backend.set_image_data_format(data_format)
    try:
        (x, y), (test_x, test_y) = datasets.cifar10.load_data()
    finally:
        keras.backend.set_image_data_format(before)
    for found, wanted in ((x, names[:5]), (test_x, names[5:])):
        planes = np.concatenate([images[n] for n in wanted]).reshape(-1, 3, 32, 32)
        if data_format == "channels_last":
            planes = np.moveaxis(planes, 1, -1)
        np.testing.assert_array_equal(found, planes)
    assert y.tolist() == [[label] for n in names[:5] for label in labels[n]]
    assert test_y.tolist() == [[label] for label in labels["test_batch"]]
    assert {each.dtype for each in (x, y, test_x, test_y)} == {np.dtype(np.uint8)}


def test_cifar100(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images = np.arange(2 * 3072).astype(np.uint8).reshape(2, 3072)
    parts = {
        f"cifar-100-python/{part}": pickle.dumps(
            {b"data": images[:n], b"fine_labels": [7, 3][:n], b"coarse_labels": [1, 2][:n]}, 2
        )
        for part, n in (("train", 2), ("test", 1))
    }
    path = folder / "cifar-100-python.tar.gz"
    _tar(path, parts)
    monkeypatch.setattr(datasets.cifar100, "FILE_HASH", _hash(path))
    (x, y), (test_x, test_y) = datasets.cifar100.load_data()
    np.testing.assert_array_equal(x, np.moveaxis(images.reshape(2, 3, 32, 32), 1, -1))
    assert (y.tolist(), test_y.tolist(), test_x.shape) == ([[7], [3]], [[7]], (1, 32, 32, 3))
    assert datasets.cifar100.load_data("coarse")[0][1].tolist() == [[1], [2]]
    with pytest.raises(ValueError, match='one of `"fine"`, `"coarse"`'):
        datasets.cifar100.load_data("finest")
    with pytest.raises(tf.errors.DataLossError, match="no images with 'labels'"):
        datasets.cifar.load_batch(str(folder / "cifar-100-python" / "test"))


def _cut(
    texts: list[Any],
    labels: Any,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
) -> tuple[list[list[int]], list[int]]:
    """What the documentation says of each text, one by one."""
    start = [] if start_char is None else [start_char]
    moved = [start + [w + index_from for w in text] for text in texts]
    pairs = [p for p in zip(moved, labels, strict=True) if not maxlen or len(p[0]) < maxlen]
    end = num_words or max(max(text) for text, _ in pairs)
    kept = []
    for text, _ in pairs:
        cut = [w if skip_top <= w < end else oov_char for w in text]
        kept.append([w for w in cut if w is not None])
    return kept, [label for _, label in pairs]


_WAYS: list[dict[str, Any]] = [
    {},
    {"num_words": 20, "skip_top": 6, "maxlen": 6},
    {"start_char": None, "oov_char": None, "index_from": 0, "num_words": 12},
    {"oov_char": None, "skip_top": 8},
]


@pytest.mark.parametrize("way", _WAYS, ids=str)
def test_imdb(folder: Path, monkeypatch: pytest.MonkeyPatch, way: dict[str, Any]) -> None:
    texts, labels = [_texts(20, 0), _texts(12, 1)], [np.arange(20) % 2, np.arange(12) % 2]
    path = folder / "imdb.npz"
    np.savez(path, x_train=texts[0], y_train=labels[0], x_test=texts[1], y_test=labels[1])
    monkeypatch.setattr(datasets.imdb, "FILE_HASH", _hash(path))
    (x, y), (test_x, test_y) = datasets.imdb.load_data(seed=5, **way)
    np.random.seed(5)
    orders = []
    for count in (20, 12):
        orders.append(np.arange(count))
        np.random.shuffle(orders[-1])
    kept, wanted = _cut(
        [t for part, order in zip(texts, orders, strict=True) for t in part[order]],
        np.concatenate([part[order] for part, order in zip(labels, orders, strict=True)]),
        **way,
    )
    # As in Keras, the parts are told by their sizes before any text is left out.
    assert list(map(list, x)) == kept[:20] and list(map(list, test_x)) == kept[20:]
    assert (y.tolist(), test_y.tolist()) == (wanted[:20], wanted[20:])
    with pytest.raises(ValueError, match="shorter than maxlen=1, no sequence was kept"):
        datasets.imdb.load_data(maxlen=1)
    with pytest.raises(TypeError, match=r"Unrecognized keyword arguments: \{'words': 3\}"):
        datasets.imdb.load_data(words=3)


def test_reuters(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = _texts(10, 3), np.arange(10)
    path = folder / "news.npz"
    np.savez(path, x=texts, y=labels)
    monkeypatch.setattr(datasets.reuters, "FILE_HASH", _hash(path))
    (x, y), (test_x, test_y) = datasets.reuters.load_data("news.npz", nb_words=15, test_split=0.3)
    np.random.seed(113)
    order = np.arange(10)
    np.random.shuffle(order)
    kept, wanted = _cut(list(texts[order]), labels[order], num_words=15)
    assert list(map(list, x)) == kept[:7] and list(map(list, test_x)) == kept[7:]
    assert (y.tolist(), test_y.tolist()) == (wanted[:7], wanted[7:])


@pytest.mark.parametrize("name", ["imdb", "reuters"])
def test_ranks_of_words(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = folder / f"{name}_word_index.json"
    path.write_text(json.dumps({"the": 1, "café": 2}))
    module = getattr(datasets, name)
    monkeypatch.setattr(module, "WORDS_HASH", _hash(path, "md5"))
    assert module.get_word_index() == {"the": 1, "café": 2}


def test_texts_of_one_length_are_a_matrix(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.empty(4, object)
    array[:] = [[1, 2], [3, 4], [5, 6], [7, 8]]
    path = folder / "reuters.npz"
    np.savez(path, x=array, y=np.arange(4))
    monkeypatch.setattr(datasets.reuters, "FILE_HASH", _hash(path))
    (x, _), _ = datasets.reuters.load_data()
    assert x.shape == (3, 3)


class _Runs:
    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> Any:
        return self._call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_arrays_of_every_protocol(protocol: int) -> None:
    for array in (
        np.arange(6, dtype=">i4").reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([[1, None], ["text", [2]]], object),
        np.zeros((0, 3), np.uint8),
    ):
        data = pickle.dumps({"a": array, "n": 3}, protocol)
        found = read_pickle(io.BytesIO(data), "file")
        assert found["n"] == 3 and found["a"].dtype == array.dtype
        np.testing.assert_array_equal(found["a"], array)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (pickle.dumps(_Runs(os.system, "touch ran")), "posix.system, which may run code"),
        (pickle.dumps(_Runs(eval, "1")), "builtins.eval, which may run code"),
        (pickle.dumps(_Runs(codecs.encode, "text", "rot13")), "bytes in 'rot13'"),
        (pickle.dumps({"a": _Runs(np.ndarray, (1,), object, b"12345678")}), "may|callable"),
        (pickle.dumps(np.arange(9), 2)[:-30], "plain data"),
        (pickle.dumps(np.arange(9), 2).replace(b"K\t", b"K\x63"), "reshape"),
        (b"", "Ran out of input|plain data"),
        (b"garbage", "plain data"),
    ],
    ids=["system", "eval", "codec", "pointers", "cut", "longer", "empty", "garbage"],
)
def test_what_is_no_plain_data_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tf.errors.DataLossError, match=text) as caught:
        read_pickle(io.BytesIO(data), "the file")
    assert "the file" in caught.value.message and not os.listdir(tmp_path)


def test_archives_that_do_not_hold_what_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "some.npz"
    np.savez(path, x=np.arange(3))
    (x,) = read_arrays(str(path), "x")
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(tf.errors.DataLossError, match=r"some\.npz cannot be read.*y\.npy"):
        read_arrays(str(path), "y")
    with zipfile.ZipFile(path, "w") as archive, archive.open("x.npy", "w") as file:
        header = {"descr": "|O", "fortran_order": False, "shape": (3,)}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(pickle.dumps(np.array([[1], [2]], object)[:, 0]))
    with pytest.raises(tf.errors.DataLossError, match=r"some\.npz: x is no array of shape \(3,\)"):
        read_arrays(str(path), "x")
    path.write_bytes(b"none")
    with pytest.raises(tf.errors.DataLossError, match=r"some\.npz cannot be read"):
        read_arrays(str(path), "x")

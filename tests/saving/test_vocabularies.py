"""warm_start of variables whose rows or columns belong to words, against TensorFlow's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from tensorflow.python.training import checkpoint_ops

import dataflow
from dataflow import errors
from dataflow.porting.spellings import saving as spellings
from tests.oracle import open_session

oracle = tensorflow.compat.v1
OLD, NEW = "one two three four", "three zero one five two six"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of TensorFlow's, and the vocabularies."""
    folder = tmp_path_factory.mktemp("words")
    for name, words in (("old", OLD), ("new", NEW)):
        (folder / name).write_text("".join(f"{word}\n" for word in words.split()))
    with oracle.Graph().as_default(), open_session(oracle) as session:
        oracle.Variable(np.arange(12, dtype=np.float32).reshape(4, 3), name="rows")
        oracle.Variable(np.arange(12, dtype=np.float32).reshape(3, 4) * 2, name="columns")
        oracle.Variable(np.arange(2, dtype=np.float32), name="plain")
        session.run(oracle.global_variables_initializer())
        oracle.train.Saver().save(session, str(folder / "m"), write_meta_graph=False)
    return folder


def _started(tf: Any, folder: Path, session: Any, **settings: Any) -> list[list[Any]]:
    """The values with which the variables of a new model begin."""
    size, buckets, axis = settings["size"], settings["buckets"], settings["axis"]
    parted = settings.get("parts")
    shape = [size + buckets, 3] if axis == 0 else [3, size + buckets]
    variable = tf.get_variable(
        "rows" if axis == 0 else "columns",
        shape,
        partitioner=tf.fixed_size_partitioner(parted) if parted else None,
        use_resource=settings.get("resource", False),
    )
    tf.get_variable("plain", [2])
    info = tf.train.VocabInfo(
        new_vocab=str(folder / "new"),
        new_vocab_size=size,
        num_oov_buckets=buckets,
        old_vocab=str(folder / "old"),
        old_vocab_size=settings.get("old_size", -1),
        backup_initializer=settings["backup"](tf) if "backup" in settings else None,
        axis=axis,
    )
    name = "rows" if axis == 0 else "columns"
    tf.train.warm_start(str(folder / "m"), var_name_to_vocab_info={name: info})
    session.run(tf.global_variables_initializer())
    whole = tf.convert_to_tensor(variable)
    return [value.tolist() for value in session.run([whole, *tf.trainable_variables()])]


def _ones(tf: Any) -> Any:
    return tf.ones_initializer()


@pytest.mark.parametrize(
    "settings",
    [
        {"size": 5, "buckets": 2, "axis": 0},
        {"size": 6, "buckets": 0, "axis": 0, "old_size": 2, "resource": True},
        {"size": 4, "buckets": 1, "axis": 1, "backup": _ones},
        {
            "size": 5,
            "buckets": 2,
            "axis": 0,
            "parts": 3,
            "backup": _ones,
        },
        {"size": 4, "buckets": 1, "axis": 1, "parts": 2},
    ],
    ids=["rows", "fewer old words", "columns", "parts", "columns of parts"],
)
def test_as_in_tensorflow(settings: dict[str, Any], folder: Path) -> None:
    with oracle.Graph().as_default(), open_session(oracle) as session:
        expected = _started(oracle, folder, session, **settings)
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        assert _started(dataflow, folder, session, **settings) == expected


def test_only_those_with_vocabularies(folder: Path) -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        rows = dataflow.get_variable("rows", [2, 3])
        plain = dataflow.get_variable("plain", [2], initializer=dataflow.ones_initializer())
        info = dataflow.train.VocabInfo(str(folder / "new"), 2, 0, str(folder / "old"))
        dataflow.train.warm_start(str(folder / "m"), None, {"rows": info})
        session.run(dataflow.global_variables_initializer())
        assert session.run(rows).tolist() == [[6, 7, 8], [0, 0, 0]]
        assert session.run(plain).tolist() == [1, 1]


def test_what_does_not_fit_is_refused(folder: Path) -> None:
    make = dataflow.train.VocabInfo
    old, new = str(folder / "old"), str(folder / "new")
    with pytest.raises(ValueError, match="only supported values for the axis"):
        make(new, 2, 0, old, axis=2)
    with dataflow.Graph().as_default():
        dataflow.get_variable("rows", [5, 3])

        def start(info: Any, name: str = "rows") -> None:
            dataflow.train.warm_start(str(folder / "m"), None, {name: info})

        with pytest.raises(ValueError, match="not as many entries along axis 0"):
            start(make(new, 5, 1, old))
        with pytest.raises(ValueError, match="6 words, fewer than new_vocab_size=7"):
            start(make(new, 7, 0, old))
        with pytest.raises(ValueError, match="Must provide all of"):
            start(make(new, 5, 0, ""))
        with pytest.raises(ValueError, match="var_name_to_vocab_info that were not used"):
            start(make(new, 5, 0, old), "row")
        with pytest.raises(errors.NotFoundError, match="missing"):
            start(make(str(folder / "missing"), 5, 0, old))


def _remapped(tf: Any, module: Any, folder: Path) -> list[list[Any]]:
    words = {each: str(folder / each) for each in ("old", "new")}
    common = {"ckpt_path": [str(folder / "m")], "initializer": lambda shape: tf.fill(shape, 9.0)}
    rows = module._load_embedding_initializer(
        embedding_tensor_name="rows",
        new_vocab_size=5,
        embedding_dim=3,
        old_vocab_file=words["old"],
        new_vocab_file=words["new"],
        num_oov_buckets=2,
        **common,
    )
    columns = module._load_and_remap_matrix_initializer(
        old_tensor_name="columns",
        new_row_vocab_size=3,
        new_col_vocab_size=4,
        old_col_vocab_file=words["old"],
        new_col_vocab_file=words["new"],
        num_row_oov_buckets=3,
        num_col_oov_buckets=1,
        **common,
    )
    made = [
        tf.get_variable("r", [7, 3], initializer=rows, partitioner=tf.fixed_size_partitioner(2)),
        tf.get_variable("c", [6, 5], initializer=columns, partitioner=tf.fixed_size_partitioner(3)),
    ]
    refused = []
    for shape in ([7, 2], [0, 3], [8, 3], [7]):
        with pytest.raises(ValueError) as error:
            rows(shape)
        refused.append(str(error.value))
    with pytest.raises(ValueError) as error:
        module._load_and_remap_matrix("m", "rows", 0, 1, 1, rows, old_row_vocab_file="old")
    with open_session(tf) as session:
        session.run(tf.global_variables_initializer())
        values = [each.tolist() for each in session.run([tf.convert_to_tensor(v) for v in made])]
    return [*values, *refused, str(error.value)]


def test_matrices_are_remapped_as_tensorflow_does(folder: Path) -> None:
    results = []
    for tf, module in ((dataflow, spellings), (oracle, checkpoint_ops)):
        with tf.Graph().as_default():
            results.append(_remapped(tf, module, folder))
    assert results[0] == results[1]

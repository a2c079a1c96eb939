"""Checkpoints of cells from before TensorFlow 1.2, under the names of today."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.rnn.renamed_checkpoints import RNN_NAME_REPLACEMENTS, convert_names

OLD = {
    "rnn/basic_lstm_cell/weights": "rnn/basic_lstm_cell/kernel",
    "rnn/basic_lstm_cell/biases": "rnn/basic_lstm_cell/bias",
    "a/gru_cell/gates/weights/Adam": "a/gru_cell/gates/kernel/Adam",
    "nas_rnn/recurrent_weights": "nas_rnn/recurrent_kernel",
    "attention_decoder/LSTMCell/W_0": "attention_decoder/lstm_cell/kernel",
}
"""By TensorFlow 1.15's converter."""


def saved(path: Path, names: list[str]) -> str:
    with tf.Graph().as_default(), tf.Session() as session:
        for number, name in enumerate(names):
            tf.Variable([float(number), 2.0], name=name)
        session.run(tf.global_variables_initializer())
        return str(tf.train.Saver().save(session, str(path)))


@pytest.mark.parametrize("early", [False, True])
def test_names(tmp_path: Path, early: bool) -> None:
    old = saved(tmp_path / "old", [*OLD, "dense/weights"])
    new = str(tmp_path / "new")
    variables, changed = convert_names(old, new, write_v1_checkpoint=early)
    assert changed == OLD
    assert sorted(variables) == sorted([*OLD.values(), "dense/weights"])
    assert variables["rnn/basic_lstm_cell/bias"].op.name == "rnn/basic_lstm_cell/biases"
    assert (tmp_path / "new.index").exists() == (not early)
    for number, name in enumerate([*OLD.values(), "dense/weights"]):
        np.testing.assert_array_equal(tf.train.load_variable(new, name), [number, 2])


def test_the_first_part_that_is_found_counts() -> None:
    names = list(RNN_NAME_REPLACEMENTS)
    assert len(names) == 56 and names[:2] == ["basic_rnn_cell/weights", "basic_rnn_cell/biases"]
    assert RNN_NAME_REPLACEMENTS["attention_decoder/Linear/Matrix"] == "attention_decoder/kernel"


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        convert_names(str(tmp_path / "none"), str(tmp_path / "new"))
    both = saved(tmp_path / "both", ["gru_cell/weights", "gru_cell/kernel"])
    with pytest.raises(ValueError, match=r"two variables that would be called 'gru_cell/kernel'"):
        convert_names(both, str(tmp_path / "new"))

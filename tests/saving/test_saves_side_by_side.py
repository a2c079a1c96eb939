"""Saves of several threads by one Saver: the one that began last is the latest."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

import dataflow as tf


def test_a_slow_save_does_not_come_out_latest(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(1.0)
        saver = tf.train.Saver()
        session.run(variable.initializer)
        begun, let_go = threading.Event(), threading.Event()

        def three() -> np.int64:
            begun.set()
            assert let_go.wait(60)
            return np.int64(3)

        step = tf.py_func(three, [], tf.int64)

        def save(at: Any) -> None:
            saver.save(session, str(tmp_path / "model"), global_step=at)

        first = threading.Thread(target=save, args=(step,))
        first.start()
        assert begun.wait(60)
        second = threading.Thread(target=save, args=(6,))
        second.start()
        # Were it not to wait, it would be through long before.
        second.join(0.5)
        let_go.set()
        first.join()
        second.join()
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model-6")
    assert [Path(each).name for each in saver.last_checkpoints] == ["model-3", "model-6"]

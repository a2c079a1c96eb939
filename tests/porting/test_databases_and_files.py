"""What tests of summaries read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import dataflow as tf
from dataflow.porting.spellings.inner import databases_and_files as util


def test_events_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    with pytest.raises(AssertionError):
        util.events_from_logdir(str(folder))
    with tf.Graph().as_default(), tf.summary.FileWriter(str(folder)) as writer:
        value = tf.Summary.Value(tag="t", simple_value=2.0)
        writer.add_summary(tf.Summary(value=[value]), 7)
    _, event = util.events_from_logdir(str(folder))
    assert (event.step, event.summary.value[0].tag) == (7, "t")
    (folder / "other").write_text("")
    with pytest.raises(AssertionError, match="Found not exactly one file in logdir"):
        util.events_from_logdir(str(folder))


def test_rows() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("create table t (a, b)")
    db.executemany("insert into t values (?, ?)", [(1, 2), (3, 4)])
    assert util.get_one(db, "select a from t where b = ?", 4) == 3
    assert util.get_all(db, "select a, b from t") == (1, 2, 3, 4)
    db.close()


def test_a_test_with_a_database() -> None:
    class Case(util.SummaryDbTest):
        def runTest(self) -> None:
            assert self.db.execute("select 1").fetchone() == (1,)
            with pytest.raises(NotImplementedError, match="are not written to databases"):
                self.create_db_writer()

    with tf.Graph().as_default():
        result = Case().run()
    assert result is not None and not result.errors and result.wasSuccessful()

"""What tests of summaries read: events of files, rows of databases."""

from __future__ import annotations

import functools
import os
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from dataflow.library.files import gfile
from dataflow.proto.event_pb2 import Event
from dataflow.recording.resource_writer import create_db_writer
from dataflow.records.events import summary_iterator
from dataflow.testing.graph_test_case import TestCase


class SummaryDbTest(TestCase):
    """A test with a database of its own: `db`, at `db_path`, and what makes writers to it."""

    db_path: str
    db: sqlite3.Connection
    create_db_writer: Callable[..., Any]

    def setUp(self) -> None:
        """Makes the database."""
        super().setUp()
        self.db_path = os.path.join(self.get_temp_dir(), "DbTest.sqlite")
        if os.path.exists(self.db_path):
            os.unlink(self.db_path)
        self.db = sqlite3.connect(self.db_path)
        self.create_db_writer = functools.partial(
            create_db_writer,
            db_uri=self.db_path,
            experiment_name="experiment",
            run_name="run",
            user_name="user",
        )

    def tearDown(self) -> None:
        """Closes it."""
        self.db.close()
        super().tearDown()


def events_from_file(filepath: Any) -> list[Event]:
    """The events of a file."""
    return list(summary_iterator(filepath))


def events_from_logdir(logdir: Any) -> list[Event]:
    """The events of the only file of a folder.

    Raises:
      AssertionError: There is no such folder, or another number of files.
    """
    assert gfile.exists(logdir)
    files = gfile.list_directory(logdir)
    assert len(files) == 1, f"Found not exactly one file in logdir: {files}"
    return events_from_file(os.path.join(logdir, files[0]))


def get_one(db: Any, q: str, *p: Any) -> Any:
    """The first column of the first row that a query finds."""
    return db.execute(q, p).fetchone()[0]


def get_all(db: Any, q: str, *p: Any) -> tuple[Any, ...]:
    """All columns of all rows that a query finds, one after the other."""
    return unroll(db.execute(q, p).fetchall())


def unroll(list_of_tuples: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Tuples one behind the other."""
    return sum(list_of_tuples, ())

"""tensorflow.python.training.tensorboard_logging: messages that are written to event files, too."""

from __future__ import annotations

import functools
import time
from typing import Any, Final

from dataflow.proto.event_pb2 import Event, LogMessage
from dataflow.values import logging

DEBUG: Final = "DEBUG"
INFO: Final = "INFO"
WARN: Final = "WARN"
ERROR: Final = "ERROR"
FATAL: Final = "FATAL"
_LEVELS: Final = {
    DEBUG: (LogMessage.DEBUGGING, logging.DEBUG),
    INFO: (LogMessage.INFO, logging.INFO),
    WARN: (LogMessage.WARN, logging.WARN),
    ERROR: (LogMessage.ERROR, logging.ERROR),
    FATAL: (LogMessage.FATAL, logging.FATAL),
}
"""The level in event files and that of the messages on standard error, by a level's name."""
_NOT_SET: Final = object()
_state: dict[str, Any] = {"writer": _NOT_SET, "verbosity": WARN}


def get_verbosity() -> str:
    """The level from which on messages are written to the files."""
    level: str = _state["verbosity"]
    return level


def set_verbosity(verbosity: str) -> None:
    """Sets the level from which on messages are written to the files.

    Raises:
      ValueError: This is no level.
    """
    _check(verbosity)
    _state["verbosity"] = verbosity


def set_summary_writer(summary_writer: Any) -> None:
    """Sets the FileWriter that messages go to; with None they are only printed."""
    _state["writer"] = summary_writer


def _clear_summary_writer() -> None:
    _state["writer"] = _NOT_SET


def log(level: str, message: str, *args: Any) -> None:
    """Prints `message % args` by `tf.logging`, and writes it to the files if its level is enough.

    Raises:
      ValueError: This is no level.
      RuntimeError: No writer was set.
    """
    writer = _state["writer"]
    if writer is _NOT_SET:
        raise RuntimeError(
            "Must call set_summary_writer before doing any logging from tensorboard_logging"
        )
    _check(level)
    recorded, printed = _LEVELS[level]
    if recorded >= _LEVELS[_state["verbosity"]][0] and writer:
        told = LogMessage(level=recorded, message=message % args)
        writer.add_event(Event(wall_time=time.time(), log_message=told))
    logging.log(printed, message, *args)


debug = functools.partial(log, DEBUG)
info = functools.partial(log, INFO)
warn = functools.partial(log, WARN)
error = functools.partial(log, ERROR)
fatal = functools.partial(log, FATAL)


def _check(level: str) -> None:
    if level not in _LEVELS:
        raise ValueError(f"Level {level} is not a valid tensorboard_logging level")

"""Messages of programs, on standard error, by a logger of the standard library."""

from __future__ import annotations

import logging as _logging
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

DEBUG = _logging.DEBUG
INFO = _logging.INFO
WARN = _logging.WARN
ERROR = _logging.ERROR
FATAL = _logging.FATAL

_name = "dataflow"
_configured = False
_lock = threading.Lock()
_counts: dict[tuple[str, int], int] = {}


# Subscripted for type checkers only: Python 3.10 has no `StreamHandler[Any]`.
if TYPE_CHECKING:
    _StreamHandler = _logging.StreamHandler[Any]
else:
    _StreamHandler = _logging.StreamHandler


class _StandardError(_StreamHandler):
    """Writes to what `sys.stderr` is when the message comes."""

    @property
    def stream(self) -> Any:
        return sys.stderr

    @stream.setter
    def stream(self, value: Any) -> None:
        pass


def get_logger() -> _logging.Logger:
    """The logger behind all functions of this module; it prints what the root logger would."""
    global _configured
    logger = _logging.getLogger(_name)
    with _lock:
        if not _configured:
            _configured = True
            handler = _StandardError()
            handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))
            logger.addHandler(handler)
            logger.propagate = False
    return logger


def log_under(name: str) -> None:
    """Gives the logger another name: whoever asks the standard library for `name` has it.

    It has the former one's level, unless it has one already, hands on to the root logger what it
    is told, and prints by itself only if the root has no handlers. What is logged under the former
    name arrives here, too.
    """
    global _name
    former, logger = get_logger(), _logging.getLogger(name)
    if former is logger:
        return
    with _lock:
        handlers, former.handlers = former.handlers, []
        for handler in () if _logging.root.handlers else handlers:
            logger.addHandler(handler)
        if logger.level == _logging.NOTSET:
            logger.setLevel(former.level)
        former.setLevel(_logging.NOTSET)
        former.parent, former.propagate = logger, True
        _name = name


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at a level."""
    get_logger().log(level, msg, *args, **_told_by_caller(kwargs))


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at a level of any number."""
    get_logger().log(level, msg, *args, **_told_by_caller(kwargs))


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` for whoever looks for a fault."""
    get_logger().debug(msg, *args, **_told_by_caller(kwargs))


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` as a piece of information."""
    get_logger().info(msg, *args, **_told_by_caller(kwargs))


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` as a warning."""
    get_logger().warning(msg, *args, **_told_by_caller(kwargs))


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` as an error."""
    get_logger().error(msg, *args, **_told_by_caller(kwargs))


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at the highest level; the program goes on."""
    get_logger().fatal(msg, *args, **_told_by_caller(kwargs))


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs `msg % args` if the condition holds."""
    if condition:
        vlog(level, msg, *args)


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs `msg % args` the first time its line comes by, and every `n`-th time after."""
    log_if(level, msg, _times_here() % n == 0, *args)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs `msg % args` the first `n` times its line comes by."""
    log_if(level, msg, _times_here() < n, *args)


def _told_by_caller(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a logger's method for which who called this module is the one that logs."""
    frame: FrameType | None = sys._getframe(1)
    here, level = sys._getframe().f_code.co_filename, 1
    while frame is not None and frame.f_code.co_filename == here:
        frame, level = frame.f_back, level + 1
    return {"stacklevel": level, **kwargs}


def _times_here() -> int:
    """How often the caller's caller has come by its line before."""
    frame = sys._getframe(2)
    place = frame.f_code.co_filename, frame.f_lineno
    with _lock:
        count = _counts.get(place, 0)
        _counts[place] = count + 1
    return count


def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs a message about the state of a task, as an error."""
    error(msg)


def flush() -> None:
    """Writes out what is buffered."""
    for handler in get_logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """The lowest level that is logged."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Sets the lowest level that is logged."""
    get_logger().setLevel(v)

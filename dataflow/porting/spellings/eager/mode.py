"""tensorflow.python.eager: which mode programs run in; here, that of graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from dataflow.library.concrete.executors import (
    function_executor_type as function_executor_type,
)
from dataflow.library.concrete.polymorphic import function
from dataflow.testing.surroundings import gpu_device_name

GRAPH_MODE: Final = 0
EAGER_MODE: Final = 1

defun = function


def in_graph_mode() -> bool:
    """True: graphs are what is built."""
    return True


def in_eager_mode() -> bool:
    """False: there is no eager execution."""
    return False


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A context in which graphs are built, as everywhere."""
    yield


def eager_mode() -> NoReturn:
    """Is not here.

    Raises:
      NotImplementedError: Always.
    """
    raise NotImplementedError("There is no eager execution here.")


class _Context:
    """What runs programs, as far as graphs have it."""

    scope_name = ""
    device_name = ""
    summary_writer = None

    def executing_eagerly(self) -> bool:
        """False: graphs are built."""
        return False

    def num_gpus(self) -> int:
        """How many GPUs there are, at most 1."""
        return num_gpus()


def context() -> _Context:
    """What runs the program."""
    return _Context()


def num_gpus() -> int:
    """How many GPUs there are, at most 1."""
    return int(bool(gpu_device_name()))


def shared_name(name: str | None = None) -> Any:
    """The name that resources made in graphs share: that which they are given."""
    return name

"""What a handle refers to that another op creates, and that many steps may change."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Generic, TypeVar

from dataflow.errors import NotFoundError
from dataflow.kernels.threads.stopping import begin_writing, end_writing

_Content = TypeVar("_Content")


class Created(Generic[_Content]):
    """A named resource, which has no content before it is created."""

    kind: ClassVar[str]
    """What error texts of TensorFlow's call the resource."""

    def __init__(self, path: str) -> None:
        """A resource that is not created yet.

        Args:
          path: Container and name, for messages.
        """
        self._path = path
        self._lock = threading.Lock()
        self._content: _Content | None = None

    @property
    def is_created(self) -> bool:
        """Whether there is content."""
        return self._content is not None

    def create(self, content: _Content) -> None:
        """Gives it its content, unless it has one."""
        with self._lock:
            if self._content is None:
                self._content = content

    @contextmanager
    def read(self) -> Iterator[_Content]:
        """The content, while nobody changes it.

        Raises:
          NotFoundError: It was not created.
        """
        with self._lock:
            yield self._held()

    @contextmanager
    def change(self) -> Iterator[_Content]:
        """The content, for one who changes it, and whose step was not stopped.

        Raises:
          NotFoundError: It was not created.
        """
        with self._lock:
            content = self._held()
            step = begin_writing()
            try:
                yield content
            finally:
                end_writing(step)

    def _held(self) -> _Content:
        if self._content is None:
            raise NotFoundError(None, None, f"Resource {self._path}/{self.kind} does not exist.")
        return self._content

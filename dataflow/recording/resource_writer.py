"""Writers of event files that nodes of a graph open, write to and close."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.basic.placeholder import placeholder
from dataflow.ops.basic.single import single
from dataflow.recording.default_writer import DEFAULTS
from dataflow.values import dtypes, logging

CPU: Final = "cpu:0"
_INIT_OPS: Final = "_SUMMARY_WRITER_V2"
"""The collection of what makes writers."""


class SummaryWriter:
    """What summaries that write themselves are written to."""

    _resource: Any = None
    """The handle, of a writer that has one."""

    def set_as_default(self, step: Any = None) -> None:
        """Makes this the writer of what this thread builds from now on.

        Args:
          step: The default step from now on; None leaves the one there is.
        """
        DEFAULTS.writer = self
        if step is not None:
            DEFAULTS.step = step

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        """Makes this the writer of what is built inside.

        Args:
          step: The default step inside; None leaves the one there is.
        """
        return _as_default(self, step)

    def init(self) -> Any:
        """An operation that makes the folder and the file, unless there is a file."""
        raise NotImplementedError

    def flush(self) -> Any:
        """An operation that puts into the file what waits."""
        raise NotImplementedError

    def close(self) -> Any:
        """An operation that puts into the file what waits and closes it."""
        raise NotImplementedError


@contextmanager
def _as_default(writer: SummaryWriter, step: Any) -> Iterator[SummaryWriter]:
    outer = DEFAULTS.writer, DEFAULTS.step
    writer.set_as_default(step)
    try:
        yield writer
        # TensorFlow's graphs have a node of this that nobody runs.
        writer.flush()
    finally:
        DEFAULTS.writer = outer[0]
        if step is not None:
            DEFAULTS.step = outer[1]


class ResourceSummaryWriter(SummaryWriter):
    """A writer that lives on the device of its nodes."""

    def __init__(
        self, resource: Tensor, create: Callable[[], Operation], is_made_once: bool
    ) -> None:
        """Adds what makes the writer to the graph, and to its collection.

        Args:
          resource: The handle.
          create: Adds an operation that makes the writer.
          is_made_once: `init` gives that operation, and adds no other.
        """
        self._resource = resource
        self._create = create
        first = create()
        self._first = first if is_made_once else None
        scopes.add_to_collection(_INIT_OPS, first)

    def init(self) -> Operation:
        """See `SummaryWriter.init`."""
        return self._create() if self._first is None else self._first

    def flush(self) -> Operation:
        """See `SummaryWriter.flush`."""
        return flush(self._resource)

    def close(self) -> Operation:
        """See `SummaryWriter.close`."""
        with scopes.control_dependencies([self.flush()]), scopes.device(CPU):
            closed: Operation = apply_op("CloseSummaryWriter", self._resource)
            return closed


class NoopSummaryWriter(SummaryWriter):
    """A writer that never becomes the default one and does nothing."""

    def set_as_default(self, step: Any = None) -> None:
        """Does nothing."""

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[None]:
        """Changes nothing."""
        yield

    def init(self) -> None:
        """Does nothing."""

    def flush(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


def create_noop_writer() -> NoopSummaryWriter:
    """A writer that does nothing, for code that needs one."""
    return NoopSummaryWriter()


def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
) -> SummaryWriter:
    """A writer of an event file. Those of one name in one session share what is made first.

    Args:
      logdir: The folder; with None the writer does nothing.
      max_queue: How many events may wait; 10 if None.
      flush_millis: How long they may wait, if another one comes then; two minutes if None.
      filename_suffix: Ends the file's name; ".v2" if None.
      name: The shared name; `logdir:` and the folder if None.
    """
    if logdir is None:
        return NoopSummaryWriter()
    with scopes.device(CPU):
        arguments = (str(logdir), *_filled_in(max_queue, flush_millis, filename_suffix))
        shared_name = f"logdir:{logdir}" if name is None else name
        resource = single("SummaryWriter", shared_name=shared_name)
        return _made(resource, arguments, is_made_once=False)


def create_summary_file_writer(*args: Any, **kwargs: Any) -> SummaryWriter:
    """The older name of `create_file_writer`."""
    logging.warning(
        "Deprecation Warning: create_summary_file_writer was renamed to create_file_writer"
    )
    return create_file_writer(*args, **kwargs)


def create_file_writer_v2(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
) -> SummaryWriter:
    """A writer of an event file, as TensorFlow 2 makes it: none shares its name.

    Args:
      logdir: The folder, which may be a tensor.
      max_queue: How many events may wait; 10 if None.
      flush_millis: How long they may wait, if another one comes then; two minutes if None.
      filename_suffix: Ends the file's name; ".v2" if None.
      name: Name of the operations.

    Raises:
      ValueError: There is no folder.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    with scopes.name_scope(name, "create_file_writer") as scope, scopes.device(CPU):
        folder = convert_to_tensor(logdir, dtypes.string)
        arguments = (folder, *_filled_in(max_queue, flush_millis, filename_suffix))
        resource = single("SummaryWriter", shared_name=scope.rstrip("/"), name=name)
        return _made(resource, arguments, is_made_once=True)


def _filled_in(max_queue: Any, flush_millis: Any, suffix: Any) -> tuple[Any, Any, Any]:
    return (
        constant(10) if max_queue is None else max_queue,
        constant(120_000) if flush_millis is None else flush_millis,
        constant(".v2") if suffix is None else suffix,
    )


def _made(resource: Tensor, arguments: tuple[Any, ...], is_made_once: bool) -> SummaryWriter:
    def create() -> Operation:
        created: Operation = apply_op("CreateSummaryFileWriter", resource, *arguments)
        return created

    return ResourceSummaryWriter(resource, create, is_made_once)


def create_db_writer(
    db_uri: Any,
    experiment_name: Any = None,
    run_name: Any = None,
    user_name: Any = None,
    name: str | None = None,
) -> SummaryWriter:
    """Would write to a database.

    Raises:
      NotImplementedError: Always.
    """
    raise NotImplementedError(
        "Summaries are not written to databases here: use create_file_writer."
    )


def flush(writer: Any = None, name: str | None = None) -> Operation:
    """An operation that puts into the file what waits.

    Args:
      writer: A writer or its handle; the default one if None. Without one nothing is done.
      name: Name of the operation, of a handle.
    """
    writer = DEFAULTS.writer if writer is None else writer
    if writer is None:
        return no_op()
    if isinstance(writer, SummaryWriter):
        flushed: Operation = writer.flush()
        return flushed
    with scopes.device(CPU):
        flushed = apply_op("FlushSummaryWriter", writer, name=name)
        return flushed


def import_event(tensor: Any, name: str | None = None) -> Operation:
    """An operation that writes an event to the default writer, whatever `record_if` says.

    Args:
      tensor: A string scalar: a serialized Event.
      name: Name of the operation.

    Raises:
      AttributeError: There is no default writer.
    """
    written: Operation = apply_op("ImportEvent", DEFAULTS.writer._resource, tensor, name=name)
    return written


def write_graph(tensor: Tensor, step: Any, name: str | None = None) -> Operation:
    """An operation that writes a serialized GraphDef to the default writer."""
    with scopes.device(CPU):
        written: Operation = apply_op(
            "WriteGraphSummary", DEFAULTS.writer._resource, step, identity(tensor), name=name
        )
        return written


def summary_writer_initializer_op() -> list[Any]:
    """The operations that make the writers of the default graph."""
    return scopes.get_collection(_INIT_OPS)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Makes the writers of the default graph.

    Args:
      graph: A Graph or GraphDef to write to the default one, at step 0.
      session: Runs what it takes; the default session if None.

    Raises:
      RuntimeError: This thread has no default writer.
      ValueError: There is no session.
    """
    if DEFAULTS.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = scopes.get_default_session() if session is None else session
    if session is None:
        raise ValueError("Argument `session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        nodes = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
        fed = placeholder(dtypes.string)
        session.run(write_graph(fed, 0), {fed: nodes.SerializeToString()})


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The folder of the summaries of an evaluation.

    Args:
      model_dir: The folder of the model.
      name: The evaluation's name, of one that is not the only one.
    """
    return os.path.join(model_dir, f"eval_{name}" if name else "eval")

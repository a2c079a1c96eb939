"""tf.test.TestCase: unit tests that have a graph and a session of their own."""

from __future__ import annotations

import contextlib
import os
import random
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from google.protobuf import text_format
from google.protobuf.message import Message

from dataflow import errors
from dataflow.graph import default_stacks, scopes
from dataflow.graph.graph import Graph
from dataflow.graph.random_seed import DEFAULT_GRAPH_SEED
from dataflow.graph.tensor import Tensor
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.recording.default_writer import DEFAULTS
from dataflow.session.session import Session
from dataflow.testing.array_assertions import ArrayAssertions
from dataflow.testing.folder import get_temp_dir
from dataflow.values import nest
from dataflow.values.devices import canonical_name
from dataflow.values.versions import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER

_SHAPES_DIFFER = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"


class _NotATest:
    """A method that loaders of tests do not see, though its name begins like that of a test."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else self._method.__get__(instance, owner)


class TestCase(ArrayAssertions):
    """A unit test; each starts with an empty default graph and the same seeds."""

    __test__ = False

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._directory: str | None = None
        self._cached: Session | None = None
        self._cached_as: dict[str, Any] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # pytest is to collect the tests people write, not this class.
        cls.__test__ = True

    def setUp(self) -> None:
        """Makes a new default graph, and seeds it, `random` and `numpy.random`; no writer."""
        super().setUp()
        self._close_cached()
        random.seed(DEFAULT_GRAPH_SEED)
        np.random.seed(DEFAULT_GRAPH_SEED)
        default_stacks.graphs.reset()
        scopes.reset_default_graph()
        scopes.get_default_graph().seed = DEFAULT_GRAPH_SEED
        DEFAULTS.writer = None

    def tearDown(self) -> None:
        """Closes the cached session, and fails if a thread was left running."""
        for thread in self._threads:
            self.assertFalse(thread.is_alive(), "A checkedThread did not terminate")
        self._close_cached()
        self._directory = None
        super().tearDown()

    def _close_cached(self) -> None:
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    _ClearCachedSession = _close_cached

    def get_temp_dir(self) -> str:
        """A directory for this test's files; it goes with the process."""
        if self._directory is None:
            self._directory = tempfile.mkdtemp(dir=get_temp_dir())
        return self._directory

    @contextlib.contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: ConfigProto | None = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """A context with a new default session, which is closed at its end.

        Args:
          graph: Its graph, which is made the default; by default the current one.
          config: Its configuration.
          use_gpu: Lets operations be placed on a GPU; else they are built on the CPU.
          force_gpu: Builds operations on a GPU.
        """
        opened = Session(graph=graph, config=_config(config, force_gpu))
        with opened as session, _devices(session, use_gpu, force_gpu):
            yield session

    @contextlib.contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: ConfigProto | None = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """Like `session`, but a test's contexts share one session, closed with the test.

        Raises:
          ValueError: A second context asks for another graph, configuration or placement.
        """
        if self._cached is None:
            self._cached = Session(graph=graph, config=_config(config, force_gpu))
            self._cached_as = {"config": config, "force_gpu value": force_gpu}
        elif graph is not None and graph is not self._cached.graph:
            raise ValueError(
                "The graph used to get the cached session is different than the one that was used "
                "to create the session. Maybe create a new session with self.session()"
            )
        for what, asked in (("config", config), ("force_gpu value", force_gpu)):
            if self._cached_as[what] is not asked:
                raise ValueError(
                    f"The {what} used to get the cached session is different than the one that was "
                    "used to create the session. Maybe create a new session with self.session()"
                )
        with self._cached.as_default(), _devices(self._cached, use_gpu, force_gpu):
            yield self._cached

    @_NotATest
    def test_session(
        self,
        graph: Graph | None = None,
        config: ConfigProto | None = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Any:
        """`cached_session`, or `session` where a graph is given."""
        if graph is None:
            return self.cached_session(None, config, use_gpu, force_gpu)
        return self.session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Any) -> Any:
        """The values of a tensor or a nested structure of tensors, in the default session."""
        session = scopes.get_default_session()
        flat = nest.flatten(tensors)
        if session is None:
            with self.cached_session() as cached:
                values = cached.run(flat)
        else:
            values = session.run(flat)
        return nest.pack_sequence_as(tensors, values)

    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self, exception_type: type[Exception], expected_err_re_or_predicate: Any
    ) -> Any:
        """A context that an exception must leave whose text is found, or which is accepted.

        Args:
          exception_type: Its class.
          expected_err_re_or_predicate: A function of the exception, or a regular expression for
            its message and the name of the operation that failed.
        """
        return _expected(self, exception_type, expected_err_re_or_predicate)

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """assertRaisesWithPredicateMatch for an `OpError`."""
        return _expected(self, errors.OpError, expected_err_re_or_predicate)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Two device names mean the same."""
        first, second = canonical_name(device1), canonical_name(device2)
        self.assertEqual(first, second, f"Devices {first} and {second} are not equal. {msg}")

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, validate_message: Any, msg: str | None = None
    ) -> None:
        """Two messages are equal, or lists of them; the first message may be its text form."""
        expected = expected_message_maybe_ascii
        if not isinstance(validate_message, Message):
            self.assertEqual(list(expected), list(validate_message), msg)
            return
        if isinstance(expected, (str, bytes)):
            expected = text_format.Parse(expected, type(validate_message)())
        self.assertMultiLineEqual(  # type: ignore[no-untyped-call]
            text_format.MessageToString(expected),
            text_format.MessageToString(validate_message),
            msg,
        )

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int = GRAPH_DEF_VERSION,
        min_consumer: int = GRAPH_DEF_VERSION_MIN_CONSUMER,
        msg: str | None = None,
    ) -> None:
        """A GraphDef equals one in text form that lacks these versions."""
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }}"
        self.assertProtoEquals(f"{versions}\n{expected}", actual, msg=msg)

    def assertDictEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Two dicts are equal, or have the same keys and tensors or arrays of equal values.

        Floats need only be close.
        """
        with contextlib.suppress(Exception):
            super().assertDictEqual(a, b, msg)  # type: ignore[no-untyped-call]
            return
        self.assertCountEqual(a, b, msg)
        for key, value in a.items():
            first, second = self.evaluate_if_both_tensors(value, b[key])
            if np.issubdtype(np.asarray(first).dtype, np.floating):
                self.assertAllClose(first, second, msg=key)
            else:
                self.assertAllEqual(first, second, msg=key)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type[Exception] = errors.InvalidArgumentError
    ) -> Any:
        """A context that an error about shapes must leave."""
        return self.assertRaisesWithPredicateMatch(exception_type, _SHAPES_DIFFER)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """The values of two tensors; what they are if one is none."""
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            first, second = self.evaluate([a, b])
            return first, second
        return a, b

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A context whose writes to a stream with a descriptor go to an object that keeps them."""
        stream.flush()
        descriptor = stream.fileno()
        kept, path = tempfile.mkstemp(dir=self.get_temp_dir())
        saved = os.dup(descriptor)
        os.dup2(kept, descriptor)
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.dup2(saved, descriptor)
            os.close(saved)
            os.close(kept)

    def assertStartsWith(self, actual: str, expected_start: str, msg: Any = None) -> None:
        """A text has that beginning."""
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r}. {msg or ''}")

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Two sequences hold the same items, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """A container holds that many items."""
        self.assertEqual(len(container), expected_len, msg or f"length of {container!r}")

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """A container holds nothing."""
        self.assertEqual(len(container), 0, msg or f"{container!r} is not empty")

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """A container holds something."""
        self.assertNotEqual(len(container), 0, msg or f"{container!r} is empty")

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """A value is neither below one nor above the other bound."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value} is not in [{minv}, {maxv}]")

    def checkedThread(
        self, target: Callable[..., Any], args: Sequence[Any] | None = None, kwargs: Any = None
    ) -> CheckedThread:
        """A thread, not started yet, whose errors fail the test when it is joined."""
        thread = CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread


class CapturedWrites:
    """What is written to a stream while it is captured."""

    def __init__(self, path: str) -> None:
        self._path = path

    def contents(self) -> str:
        """The text so far, as far as the stream was flushed."""
        with open(self._path, errors="replace") as file:
            return file.read()


class CheckedThread:
    """A thread of a test; `join` fails the test if the thread failed."""

    def __init__(
        self, test: TestCase, target: Callable[..., Any], args: Sequence[Any], kwargs: Any
    ) -> None:
        self._test = test
        self._error: BaseException | None = None

        def run() -> None:
            try:
                target(*args, **kwargs)
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=run)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the end of the thread.

        Raises:
          AssertionError: The thread raised an error.
        """
        self._thread.join()
        if self._error is not None:
            message = f"Error in checkedThread: {self._error}"
            raise self._test.failureException(message) from self._error

    def is_alive(self) -> bool:
        """True while the thread runs."""
        return self._thread.is_alive()


@contextlib.contextmanager
def _expected(test: TestCase, exception_type: type[Exception], wanted: Any) -> Iterator[None]:
    try:
        yield
    except exception_type as error:
        if callable(wanted):
            accepted = wanted(error)
            text = str(error)
        else:
            text = error.message if isinstance(error, errors.OpError) else str(error)
            op = getattr(error, "op", None)
            while op is not None:
                text += f"\nCaused by: {op.name}"
                op = op._original_op
            accepted = re.search(wanted, text)
        if not accepted:
            raise AssertionError(
                f"Exception of type {type(error)} does not match {wanted!r}: {text}"
            ) from error
    else:
        test.fail(f"{exception_type.__name__} not raised")


def _config(config: ConfigProto | None, force_gpu: bool) -> ConfigProto:
    """The configuration; without one, operations go where they can."""
    if config is not None:
        return config
    return ConfigProto(allow_soft_placement=not force_gpu)


@contextlib.contextmanager
def _devices(session: Session, use_gpu: bool, force_gpu: bool) -> Iterator[None]:
    if force_gpu:
        device: Any = session.graph.device("/device:GPU:0")
    elif use_gpu:
        device = contextlib.nullcontext()
    else:
        device = session.graph.device("/device:CPU:0")
    with session.graph.as_default(), device:
        yield

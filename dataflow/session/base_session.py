"""BaseSession: runs a graph. It talks to the back end through the `Runtime` protocol only."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from dataflow.errors import AbortedError, CancelledError, OpError
from dataflow.graph import default_stacks, kernel_values, scopes
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shorten
from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
from dataflow.runtime.signature import StepSignature
from dataflow.session import callables as session_callable
from dataflow.session.arguments import check_options, target_bytes
from dataflow.session.back_end import connect, evaluate
from dataflow.session.cost_graphs import CostModel, add_cost_graph, measuring
from dataflow.session.defaults import DEFAULTS
from dataflow.session.errors import raise_with_details
from dataflow.session.feeds import add_feed_key, feed_list_tensors
from dataflow.session.fetches import add_structure_key, map_fetches
from dataflow.session.link import SessionLink
from dataflow.session.queue import StepQueue, failed
from dataflow.session.steps import PreparedStep, StepCache, resolve
from dataflow.session.watched import run_watched
from dataflow.values.device_attributes import DeviceAttributes
from dataflow.values.interrupts import sheltered

if TYPE_CHECKING:
    from concurrent.futures import Future

    from typing_extensions import Self

    from dataflow.proto.graph_pb2 import GraphDef


kernel_values.use(evaluate)


class SessionInterface:
    """What a session can do, for classes that stand in for one."""

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        raise NotImplementedError("graph")

    @property
    def sess_str(self) -> bytes | None:
        """The target."""
        raise NotImplementedError("sess_str")

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """See `BaseSession.run`."""
        raise NotImplementedError("run")

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """See `BaseSession.partial_run_setup`."""
        raise NotImplementedError("partial_run_setup")

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """See `BaseSession.partial_run`."""
        raise NotImplementedError("partial_run")


class BaseSession(SessionInterface):
    """Runs one graph. Many threads may call `run` at once.

    Args:
      target: "" for this process, "ray" for Ray, or a `Server.target`.
      graph: The graph; the default graph if None.
      config: Options of the session; what `tf.config` has set if None.

    Raises:
      TypeError: An argument is of the wrong type.
      OpError: The session cannot be opened.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        self._closed = True
        if graph is None:
            graph = scopes.get_default_graph()
        elif not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        self._graph: Graph = graph
        self._target = target_bytes(target)
        if config is None:
            config = DEFAULTS
        elif not isinstance(config, ConfigProto):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        self._config = ConfigProto()
        self._config.CopyFrom(config)
        self._add_shapes = config.graph_options.infer_shapes
        is_measured = config.graph_options.build_cost_model > 0
        self._costs = CostModel(config.graph_options) if is_measured else None
        runtime = connect((self._target or b"").decode(), self._config)
        handle = runtime.create_session(self._config)
        self._link = SessionLink(runtime, handle, graph)
        self._steps = StepCache()
        self._queue = StepQueue()
        self._watched_runs = itertools.count()
        self._finalizer = weakref.finalize(self, self._link.close_forgotten)
        self._closed = False

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        return self._graph

    @property
    def graph_def(self) -> GraphDef:
        """The graph as a GraphDef."""
        return self._graph.as_graph_def(add_shapes=self._add_shapes)

    @property
    def sess_str(self) -> bytes | None:
        """The target."""
        return self._target

    def as_default(self) -> AbstractContextManager[Self]:
        """Makes this the thread's default session inside the context; leaves it open at the end.

        The default session is what `Tensor.eval` and `Operation.run` use. The default graph does
        not change.
        """
        return default_stacks.sessions.entered(self)

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices the session can use.

        Raises:
          CancelledError: The session is closed.
        """
        self._link.check_usable()
        return [
            DeviceAttributes(d.name, d.device_type, d.memory_limit, d.incarnation)
            for d in self._link.runtime.list_devices(self._link.handle)
        ]

    def close(self) -> None:
        """Closes the session: cancels its steps, settles their futures, frees what it holds.

        A second call does nothing. An interrupt ends the wait for it, not the closing.

        Raises:
          OpError: The back end fails to.
        """
        sheltered(self._close)

    def _close(self) -> None:
        if not self._closed:
            self._closed = True
            self._finalizer.detach()
            self._steps.clear()
            if self._link.inherited:
                # Neither the steps nor their threads are in this process.
                self._link.close()
                return
            self._queue.refuse()
            try:
                self._link.close()
            finally:
                self._queue.close()

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """Runs one step: computes what is fetched, and all it needs.

        Args:
          fetches: A tensor, operation, variable, sparse tensor, or the name of one; or any nesting
            of them in lists, tuples, namedtuples, dicts and attrs classes.
          feed_dict: Values to take in place of tensors, any the graph lets be fed. Keys are
            tensors or their names, sparse tensors, or structures of these.
          options: Options of this run.
          run_metadata: Filled in with what the options ask for, as far as it got on an error.

        Returns:
          Arrays (scalars for shape []) in place of what is fetched, in the same structure; None
          for operations. A tensor that is both fed and fetched gives the fed array.

        Raises:
          RuntimeError: The session is closed or the graph is empty.
          TypeError: A fetch or feed is of a type that cannot be fetched or fed.
          ValueError: A fetch is not in the graph, or a fed value has the wrong shape.
          OpError: The step fails.
        """
        try:
            step, arrays = self._resolve(fetches, feed_dict)
            return self._run_step(step, arrays, options, run_metadata)
        except Exception as error:
            shorten(error)
            raise

    def run_async(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Future[Any]:
        """Starts one step and returns while it runs, so that several are in flight.

        Steps on different devices overlap: a graph cut over several devices is a pipeline. Up to
        `max_steps_in_flight` run at once; beyond that, a call waits until a step has ended. Like
        those of `run` on several threads, steps may overtake each other; what has to see the
        effects of a step waits for its future.

        Arrays that are fed are copied if they can be written to, so that the program may fill them
        anew at once. An array of which `flags.writeable` is false is read while the step runs.

        Args:
          fetches: As for `run`.
          feed_dict: As for `run`.
          options: As for `run`.
          run_metadata: As for `run`; filled in when the future is done.

        Returns:
          A future of what `run` would return. It fails with what `run` would raise, also for
          arguments that cannot be run. A step has started when this returns, so `cancel()` of the
          future returns False and does nothing: `timeout_in_ms` and `close` are what stops steps.
          `close` settles all futures; those of steps that it stops fail with CancelledError.
        """
        try:
            step, arrays = self._resolve(fetches, feed_dict)
            check_options(options, run_metadata)
            if options is not None:
                given, options = options, RunOptions()
                options.CopyFrom(given)
            fed = [array.copy() if array.flags.writeable else array for array in arrays]
            return self._queue.submit(lambda: self._run_step(step, fed, options, run_metadata))
        except Exception as error:
            return failed(error)

    @property
    def max_steps_in_flight(self) -> int:
        """How many steps of `run_async` run at once, 16 unless it is set; each takes a thread.

        It may be set at any time. A pipeline wants a few more than it has stages.
        """
        return self._queue.limit

    @max_steps_in_flight.setter
    def max_steps_in_flight(self, limit: int) -> None:
        self._queue.limit = limit

    def _resolve(self, fetches: Any, feed_dict: Any) -> tuple[PreparedStep, list[Any]]:
        """The step that the arguments of `run` describe, and what they feed as arrays."""
        self._check_usable()
        tokens: list[Any] = []
        cacheable = add_structure_key(fetches, tokens)
        if cacheable and feed_dict:
            cacheable = isinstance(feed_dict, dict) and add_feed_key(feed_dict, tokens)
        key = tuple(tokens)
        step = self._steps.get(key) if cacheable else None
        if step is not None:
            return step, step.arrays(feed_dict.values()) if feed_dict else []
        self._check_ready()
        step, arrays = resolve(self._graph, self._link, fetches, feed_dict)
        if cacheable:
            self._steps.put(key, step)
        return step, arrays

    def _run_step(
        self,
        step: PreparedStep,
        arrays: list[Any],
        options: RunOptions | None,
        run_metadata: RunMetadata | None,
        force: bool = False,
    ) -> Any:
        """Runs a resolved step; see `PreparedStep.run` for the arguments."""
        if options or run_metadata:
            check_options(options, run_metadata)
        try:
            if self._graph.version != self._link.sent and step.has_work:
                self._link.send_new_nodes()
            if options and options.debug_options.debug_tensor_watch_opts:
                number = next(self._watched_runs)
                return run_watched(self._link, step, arrays, options, run_metadata, number)
            if self._costs is not None and self._costs.is_due(step.signature) and run_metadata:
                result = step.run(arrays, measuring(options), run_metadata, force)
                add_cost_graph(run_metadata, options)
                return result
            return step.run(arrays, options or None, run_metadata or None, force)
        except OpError as error:
            if self._closed and isinstance(error, AbortedError):
                # A session's plans go with it, also under a step that was about to start.
                error = CancelledError(None, None, "Session has been closed.")
            raise_with_details(error, self._graph)

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that runs a particular step, with fetches and feeds resolved beforehand.

        Args:
          fetches: What to fetch, as for `run`.
          feed_list: Keys of a feed dictionary, as for `run`; the function takes their values.
          accept_options: Whether the function takes `options` and `run_metadata` where there is no
            `feed_list`; with one it always does.

        Returns:
          The function. It returns what `run` would.

        Raises:
          TypeError: `feed_list` is no list or tuple, or (without one) a fetch cannot be fetched.
          ValueError: Without a `feed_list`: a fetch is not in the graph.
        """
        if feed_list is None:
            return session_callable.without_feeds(self, fetches, accept_options)
        if not isinstance(feed_list, (list, tuple)):
            raise TypeError(
                f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}"
            )
        return session_callable.with_feeds(self, fetches, tuple(feed_list))

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Starts a step that is fed and fetched piecewise with `partial_run`.

        Args:
          fetches: All that will be fetched, as for `run`.
          feeds: A key of a feed dictionary or a list of them: all that will be fed.

        Returns:
          The handle to pass to `partial_run`.

        Raises:
          RuntimeError: The session is closed or the graph is empty.
          TypeError: A fetch or feed is of a type that cannot be fetched or fed.
          OpError: The step cannot be started.
        """
        self._check_ready()
        fed = feed_list_tensors(self._graph, [] if feeds is None else feeds)
        asked = map_fetches(self._graph, fetches).elements
        signature = StepSignature(
            tuple(tensor.name for tensor in fed),
            tuple(element.name for element in asked if isinstance(element, Tensor)),
            tuple(element.name for element in asked if not isinstance(element, Tensor)),
        )
        try:
            self._link.send_new_nodes()
            return self._link.partial_run_setup(signature)
        except OpError as error:
            raise_with_details(error, self._graph)

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Feeds some and fetches some of a step that `partial_run_setup` started.

        Args:
          handle: What `partial_run_setup` returned.
          fetches: What to fetch now, as for `run`; each only once.
          feed_dict: What to feed now, as for `run`; each only once.

        Raises:
          RuntimeError: The session is closed, or an operation is fetched.
          TypeError: A fetch or feed is of a type that cannot be fetched or fed.
          OpError: The step fails, or was not set up for this.
        """
        self._check_ready()
        step, arrays = resolve(self._graph, self._link, fetches, feed_dict)
        if step.signature.targets:
            targets = [self._graph.get_operation_by_name(n) for n in step.signature.targets]
            raise RuntimeError(
                "partial_run() requires empty `target_list`. Received: "
                f"target_list={targets} (non-empty)"
            )
        try:
            return step.run_partially(handle, arrays)
        except OpError as error:
            raise_with_details(error, self._graph)

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., Any]:
        """A function that runs the step a `CallableOptions` message describes."""
        return session_callable.OptionsCallable(self, callable_options)

    def _send_new_nodes(self) -> None:
        try:
            self._link.check_process()
            self._link.send_new_nodes()
        except OpError as error:
            raise_with_details(error, self._graph)

    def _check_ready(self) -> None:
        """Refuses to run when the session is closed or there is nothing to run."""
        self._check_usable()
        if self._graph.version == 0:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )

    def _check_usable(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if self._link.inherited:
            self._link.check_process()

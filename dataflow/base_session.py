"""BaseSession: runs a graph. It talks to the back end through the `Runtime` protocol only."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from dataflow import default_stacks, scopes, session_callable
from dataflow.device_attributes import DeviceAttributes
from dataflow.errors import OpError
from dataflow.feed_mapper import add_feed_key, feed_list_tensors
from dataflow.fetch_mapper import add_structure_key, map_fetches
from dataflow.graph import Graph
from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
from dataflow.runtime import StepSignature, connect
from dataflow.session_errors import raise_with_details
from dataflow.session_link import SessionLink
from dataflow.session_steps import Step, StepCache, resolve
from dataflow.tensor import Tensor

if TYPE_CHECKING:
    from typing_extensions import Self

    from dataflow.proto.graph_pb2 import GraphDef


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
      config: Options of the session.

    Raises:
      TypeError: An argument is of the wrong type.
      OpError: The session cannot be opened.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        self._closed = True
        if graph is None:
            graph = scopes.get_default_graph()
        elif not isinstance(graph, Graph):
            raise TypeError(
                f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"'
            )
        self._graph: Graph = graph
        self._target = target_bytes(target)
        if config is None:
            config = ConfigProto()
        elif not isinstance(config, ConfigProto):
            raise TypeError(
                f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"'
            )
        self._config = ConfigProto()
        self._config.CopyFrom(config)
        self._add_shapes = config.graph_options.infer_shapes
        runtime = connect((self._target or b"").decode(), self._config)
        handle = runtime.create_session(self._config)
        self._link = SessionLink(runtime, handle, graph)
        self._steps = StepCache()
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
        """Closes the session: cancels its steps and frees what it holds.

        A second call does nothing.

        Raises:
          OpError: The back end fails to.
        """
        if not self._closed:
            self._closed = True
            self._finalizer.detach()
            self._steps.clear()
            self._link.close()

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
        self._check_usable()
        tokens: list[Any] = []
        cacheable = add_structure_key(fetches, tokens)
        if cacheable and feed_dict:
            cacheable = isinstance(feed_dict, dict) and add_feed_key(feed_dict, tokens)
        key = tuple(tokens)
        step = self._steps.get(key) if cacheable else None
        if step is not None:
            arrays = step.arrays(feed_dict.values()) if feed_dict else []
        else:
            self._check_ready()
            step, arrays = resolve(self._graph, self._link, fetches, feed_dict)
            if cacheable:
                self._steps.put(key, step)
        return self._run_step(step, arrays, options, run_metadata)

    def _run_step(
        self,
        step: Step,
        arrays: list[Any],
        options: RunOptions | None,
        run_metadata: RunMetadata | None,
        force: bool = False,
    ) -> Any:
        """Runs a resolved step; see `Step.run` for the arguments."""
        if options or run_metadata:
            check_options(options, run_metadata)
        try:
            if self._graph.version != self._link.sent and step.has_work:
                self._link.send_new_nodes()
            return step.run(arrays, options or None, run_metadata or None, force)
        except OpError as error:
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
            return self._link.runtime.partial_run_setup(self._link.handle, signature)
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


def target_bytes(target: Any) -> bytes | None:
    """The target of a session as bytes.

    Raises:
      TypeError: It is no string.
    """
    if target is None or isinstance(target, bytes):
        return target
    if isinstance(target, str):
        return target.encode()
    hint = ""
    if isinstance(target, ConfigProto):
        hint = '. Did you do "Session(config)" instead of "Session(config=config)"?'
    raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"{hint}')


def check_options(options: Any, run_metadata: Any) -> None:
    """Checks the option messages of a run and empties the one to be filled in."""
    if options is not None and not isinstance(options, RunOptions):
        raise TypeError(
            f'Argument `options` must be a tf.RunOptions, but got "{type(options).__name__}"'
        )
    if run_metadata is not None:
        if not isinstance(run_metadata, RunMetadata):
            raise TypeError(
                "Argument `run_metadata` must be a tf.RunMetadata, but got "
                f'"{type(run_metadata).__name__}"'
            )
        run_metadata.Clear()

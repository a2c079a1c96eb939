"""Graph, session, learning phase and variables that models of one process share."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from dataflow.graph.graph import Graph
from dataflow.graph.scopes import reset_default_graph
from dataflow.keras import ops
from dataflow.keras.backend.settings import floatx
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.saving.checkpoint.sessions import register_session_provider
from dataflow.session.defaults import DEFAULTS
from dataflow.values import dtypes, nest


class _State:
    """The session of models, and what is kept for each graph."""

    def __init__(self) -> None:
        self.session: Any = None
        self.initializes = True
        self.phases: weakref.WeakKeyDictionary[Graph, Any] = weakref.WeakKeyDictionary()
        self.variables: weakref.WeakKeyDictionary[Graph, list[Any]] = weakref.WeakKeyDictionary()
        self.optimizers: weakref.WeakKeyDictionary[Graph, list[Any]] = weakref.WeakKeyDictionary()
        self.restores: weakref.WeakKeyDictionary[Graph, weakref.WeakSet[Any]] = (
            weakref.WeakKeyDictionary()
        )
        self.counts: weakref.WeakKeyDictionary[Graph, Counter[str]] = weakref.WeakKeyDictionary()


_STATE = _State()


def get_graph() -> Graph:
    """The default graph."""
    return ops.get_default_graph()


def get_uid(prefix: str = "") -> int:
    """1 for the first call with a prefix in the default graph, 2 for the second, and so on."""
    counts = _STATE.counts.setdefault(get_graph(), Counter())
    counts[prefix] += 1
    return counts[prefix]


def reset_uids() -> None:
    """Lets `get_uid` begin again at 1."""
    _STATE.counts.clear()


def get_session(op_input_list: Any = ()) -> Any:
    """The default session, or else that of models, once the variables of layers are initialized."""
    session = ops.get_default_session()
    if session is None:
        if _STATE.session is None or _STATE.session.graph is not get_graph():
            _STATE.session = ops.Session(config=_session_config())
        session = _STATE.session
    if _STATE.initializes:
        with session.graph.as_default():
            _initialize_variables(session)
    for restore in list(_STATE.restores.get(session.graph, ())):
        restore(session)
    return session


def _session_config() -> ConfigProto:
    """The process's options, and leave to run elsewhere what names a device that is not there."""
    config = ConfigProto()
    config.CopyFrom(DEFAULTS)
    config.allow_soft_placement = True
    return config


register_session_provider(get_session)


def set_session(session: Any) -> None:
    """Makes a session that of models."""
    _STATE.session = session


def clear_session() -> None:
    """Forgets graph, session and counts: a new default graph begins."""
    reset_default_graph()
    reset_uids()
    _STATE.session = None


def manual_variable_initialization(value: bool) -> None:
    """With True, nothing initializes variables but the program."""
    _STATE.initializes = not value


def track_variable(variable: Any) -> None:
    """Has `get_session` initialize a variable."""
    _STATE.variables.setdefault(variable.graph, []).append(variable)


def track_tf_optimizer(optimizer: Any) -> None:
    """Has `get_session` initialize the variables of an optimizer of tf.train."""
    _STATE.optimizers.setdefault(get_graph(), []).append(optimizer)


def restore_later(restore: Any) -> None:
    """Has a function called with each session of this graph that is asked for.

    Args:
      restore: The function; forgotten when nothing else holds it.
    """
    _STATE.restores.setdefault(get_graph(), weakref.WeakSet()).add(restore)


def restore_new_variables() -> None:
    """Gives variables their values if a checkpoint that was loaded waits for them."""
    graph = get_graph()
    # In the body of a loop no step can run.
    if _STATE.restores.get(graph) and graph._get_control_flow_context() is None:
        get_session()


def _initialize_variables(session: Any) -> None:
    graph = session.graph
    known = [*_STATE.variables.get(graph, ())]
    for optimizer in _STATE.optimizers.get(graph, ()):
        known += optimizer.variables()
    waiting = [each for each in known if not getattr(each, "_keras_initialized", False)]
    if not waiting:
        return
    held = session.run([each.is_initialized() for each in waiting])
    missing = [each for each, is_there in zip(waiting, held, strict=True) if not is_there]
    for each in waiting:
        each._keras_initialized = True
    if missing:
        session.run(ops.variables_initializer(missing))


def learning_phase() -> Any:
    """1 in training and 0 otherwise: a placeholder whose value is False, or what was set."""
    with ops.init_scope():
        graph = get_graph()
        if graph not in _STATE.phases:
            with ops.name_scope(""):
                _STATE.phases[graph] = ops.placeholder_with_default(
                    False, shape=(), name="keras_learning_phase"
                )
        return _STATE.phases[graph]


symbolic_learning_phase = learning_phase


def global_learning_phase_is_set() -> bool:
    """Whether `set_learning_phase` fixed the phase of the default graph."""
    return isinstance(_STATE.phases.get(get_graph()), int)


def set_learning_phase(value: int) -> None:
    """Fixes the phase of the default graph.

    Raises:
      ValueError: It is neither 0 nor 1.
    """
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _STATE.phases[get_graph()] = int(value)


@contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """Fixes the phase inside.

    Raises:
      ValueError: It is neither 0 nor 1.
    """
    graph = get_graph()
    before = _STATE.phases.get(graph)
    set_learning_phase(value)
    try:
        yield
    finally:
        if before is None:
            del _STATE.phases[graph]
        else:
            _STATE.phases[graph] = before


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """A variable with an initial value."""
    if isinstance(value, ops.SparseTensor):
        return value
    if hasattr(value, "tocoo"):
        coo = value.tocoo()
        indices = np.stack([coo.row, coo.col], axis=1).astype(np.int64)
        return ops.SparseTensor(indices, coo.data, coo.shape)
    made: Any = ops.Variable(
        value,
        dtype=dtypes.as_dtype(dtype or floatx()),
        name=name,
        constraint=constraint,
        use_resource=True,
    )
    if isinstance(value, np.ndarray):
        made._keras_shape = value.shape
    track_variable(made)
    return made


def get_value(x: Any) -> Any:
    """The value of a variable or tensor."""
    return x.eval(session=get_session((x,))) if hasattr(x, "op") else x


def batch_get_value(tensors: Any) -> list[Any]:
    """The values of several."""
    return get_session(tensors).run(list(tensors)) if tensors else []


def set_value(x: Any, value: Any) -> None:
    """Gives a variable a value."""
    batch_set_value([(x, value)])


def batch_set_value(tuples: Any) -> None:
    """Gives several variables their values: pairs of both."""
    if not tuples:
        return
    feeds, initializers = {}, []
    for x, value in tuples:
        initializers.append(x.initializer)
        feeds[x.initializer.inputs[1]] = np.asarray(value, dtype=x.dtype.as_numpy_dtype)
    get_session().run(initializers, feeds)


class Function:
    """Runs a part of the graph: inputs by position, outputs in the structure that was given."""

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        updates: Any = None,
        name: str | None = None,
        **session_kwargs: Any,
    ) -> None:
        self.inputs = nest.flatten(inputs)
        self.outputs = outputs
        self.name = name
        self.feed_dict = session_kwargs.pop("feed_dict", None) or {}
        self.fetches = session_kwargs.pop("fetches", None) or []
        if not isinstance(self.fetches, list):
            self.fetches = [self.fetches]
        # What is called with the value of a fetch after each run.
        self.fetch_callbacks: dict[Any, Any] = {}
        self.run_options = session_kwargs.pop("options", None)
        self.run_metadata = session_kwargs.pop("run_metadata", None)
        if not isinstance(updates or [], (list, tuple)):
            raise TypeError("`updates` in a Keras backend function should be a list or tuple.")
        if session_kwargs:
            raise ValueError(f"Some keys in session_kwargs are not supported: {session_kwargs}")
        self._flat = nest.flatten(outputs) if outputs is not None else []
        made = [each for each in [*self._flat, *self.fetches][:1] if hasattr(each, "op")]
        with ops.control_dependencies([each.op for each in made]):
            updated = [
                ops.assign(*each) if isinstance(each, tuple) else each for each in updates or ()
            ]
            self.updates_op = ops.group(*updated) if updated else None

    def __call__(self, inputs: Any) -> Any:
        """The values of the outputs."""
        given = nest.flatten(inputs)
        session = get_session(given)
        feeds = dict(self.feed_dict)
        for tensor, value in zip(self.inputs, given, strict=False):
            if value is None:
                raise ValueError(f'Feed argument {tensor} got invalid value "None"')
            feeds[tensor] = session.run(value) if hasattr(value, "op") else value
        extra = [] if self.updates_op is None else [self.updates_op]
        fetched = [*self._flat, *self.fetches, *extra]
        found = session.run(fetched, feeds, self.run_options, self.run_metadata)
        values, others = found[: len(self._flat)], found[len(self._flat) :]
        for fetch, value in zip(self.fetches, others, strict=False):
            if fetch in self.fetch_callbacks:
                self.fetch_callbacks[fetch](value)
        return nest.pack_sequence_as(self.outputs, values) if self.outputs is not None else []


_OF_STEPS: Final = ("feed_dict", "fetches", "options", "run_metadata")
"""What `function` takes for the step that it runs."""


def function(
    inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **kwargs: Any
) -> Any:
    """A function of arrays that runs a part of the graph, and updates with it."""
    for key in kwargs:
        if key not in _OF_STEPS:
            raise ValueError(
                f'Invalid argument "{key}" passed to K.function with TensorFlow backend'
            )
    return Function(inputs, outputs, updates, name, **kwargs)

"""Functions that run a step prepared beforehand: what `Session.make_callable` returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dataflow.errors import InvalidArgumentError, OpError
from dataflow.graph.tensor import Tensor
from dataflow.proto import types_pb2
from dataflow.proto.config_pb2 import CallableOptions
from dataflow.session.errors import raise_with_details
from dataflow.session.feeds import FeedSlot, add_feed_key
from dataflow.session.fetches import FetchMap, map_fetches
from dataflow.session.steps import PreparedStep, resolve
from dataflow.values import devices

if TYPE_CHECKING:
    from dataflow.session.base_session import BaseSession


def without_feeds(session: BaseSession, fetches: Any, accept_options: bool) -> Callable[..., Any]:
    """A function that fetches what needs no feeds; see `BaseSession.make_callable`."""
    if not session._closed:
        session._send_new_nodes()
    step = PreparedStep(session._link, (), map_fetches(session._graph, fetches))

    def run() -> Any:
        link = session._link
        if link.closed or link.inherited:
            link.check_usable()
        try:
            return step.run([], force=True)
        except OpError as error:
            raise_with_details(error, session._graph)

    def run_with_options(options: Any = None, run_metadata: Any = None) -> Any:
        session._link.check_usable()
        return session._run_step(step, [], options, run_metadata, force=True)

    return run_with_options if accept_options else run


def with_feeds(session: BaseSession, fetches: Any, feeds: Sequence[Any]) -> Callable[..., Any]:
    """A function that takes the values of `feeds`; see `BaseSession.make_callable`."""
    prepared: PreparedStep | None = None
    link, graph = session._link, session._graph
    count = len(feeds)

    def run(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
        nonlocal prepared
        if prepared is not None and len(values) >= count:
            if session._closed or link.inherited:
                session._check_usable()
            arrays = prepared.arrays(values if len(values) == count else values[:count])
            if options is not None or run_metadata is not None or graph.version != link.sent:
                return session._run_step(prepared, arrays, options, run_metadata)
            try:
                return prepared.run(arrays)
            except OpError as error:
                raise_with_details(error, graph)
        feed_dict = dict(zip(feeds, values, strict=False))
        if len(feed_dict) < count or not add_feed_key(feed_dict, []):
            return session.run(fetches, feed_dict, options, run_metadata)
        session._check_ready()
        step, arrays = resolve(session._graph, session._link, fetches, feed_dict)
        prepared = step
        return session._run_step(step, arrays, options, run_metadata)

    return run


class OptionsCallable:
    """The step a `CallableOptions` message describes; returns a list of arrays.

    It takes an array of exactly the right type for each feed.
    """

    def __init__(self, session: BaseSession, options: CallableOptions) -> None:
        self._session = session
        self._options = options.run_options if options.HasField("run_options") else None
        self._slots = [FeedSlot(self._tensor(name)) for name in options.feed]
        fetches = [self._tensor(name) for name in options.fetch]
        targets = [self._operation(name) for name in options.target]
        self._check_devices(options)
        elements = tuple(dict.fromkeys([*fetches, *targets]))
        places = [elements.index(fetch) for fetch in fetches]
        if not elements:
            raise InvalidArgumentError(
                None, None, "Must specify at least one target to fetch or execute."
            )

        def build(values: list[Any]) -> list[Any]:
            return [values[place] for place in places]

        # As in TensorFlow, an array may have another shape than the fed tensor declares.
        fetch_map = FetchMap(elements, build, ())
        connections = tuple(
            (each.from_tensor, each.to_tensor) for each in options.tensor_connection
        )
        self._step = PreparedStep(
            session._link, self._slots, fetch_map, feeds_fit=False, connections=connections
        )

    def __call__(self, *args: Any, run_metadata: Any = None) -> list[Any]:
        """Runs the step.

        Raises:
          InvalidArgumentError: There are too few or too many arguments, or one is of a wrong type.
          CancelledError: The session is closed.
        """
        self._session._link.check_usable()
        if len(args) != len(self._slots):
            raise InvalidArgumentError(
                None, None, f"Expected {len(self._slots)} feed tensors, but got {len(args)}"
            )
        arrays = [
            self._exact(slot, value, index)
            for index, (slot, value) in enumerate(zip(self._slots, args, strict=True))
        ]
        result: list[Any] = self._session._run_step(self._step, arrays, self._options, run_metadata)
        return result

    def _exact(self, slot: FeedSlot, value: Any, index: int) -> np.ndarray:
        array = np.asarray(value)
        if array.dtype.kind in "US" and slot.dtype.kind == "O":
            array = array.astype(object)
        if array.dtype != slot.dtype:
            op = slot.tensor.op.name
            wanted = types_pb2.DataType.Name(slot.tensor.dtype.base_dtype.as_datatype_enum)
            raise InvalidArgumentError(
                None,
                None,
                f"Type mismatch: actual {array.dtype} vs. expect {wanted[3:].lower()}\n"
                f"\t [[{{{{node _arg_{op}_{slot.tensor.value_index}_{index}}}}}]]",
            )
        return array

    def _tensor(self, name: str) -> Tensor:
        try:
            return self._session._graph.get_tensor_by_name(name)
        except (KeyError, ValueError) as error:
            raise InvalidArgumentError(
                None,
                None,
                f"Tensor {name}, specified in either feed_devices or fetch_devices was not found "
                "in the Graph",
            ) from error

    def _operation(self, name: str) -> Any:
        try:
            return self._session._graph.get_operation_by_name(name)
        except (KeyError, ValueError) as error:
            raise InvalidArgumentError(
                None, None, f"Operation {name} was not found in the Graph"
            ) from error

    def _check_devices(self, options: CallableOptions) -> None:
        wanted = [*options.feed_devices.items(), *options.fetch_devices.items()]
        if not wanted:
            return
        known = [device.name for device in self._session.list_devices()]
        for tensor, device in wanted:
            if not any(devices.device_name_matches(device, name) for name in known):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Device '{device}' specified for tensor '{tensor}' in CallableOptions does "
                    "not exist",
                )

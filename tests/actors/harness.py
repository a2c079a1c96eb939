"""GraphDefs written by hand, and direct sessions to run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.actors.direct import DirectRuntime, DirectStep
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from dataflow.schema import opdef
from dataflow.values import attrs, dtypes

FLOAT = dtypes.float32


class GraphBuilder:
    """Writes a GraphDef node by node."""

    def __init__(self) -> None:
        self.graph_def = GraphDef()

    def add(
        self,
        op: str,
        name: str,
        inputs: Sequence[str] = (),
        device: str = "",
        **values: Any,
    ) -> str:
        """Adds a node and returns its name; attr T is float32 unless it is given."""
        definition = opdef.find(op)
        assert definition is not None, op
        node = self.graph_def.node.add(name=name, op=op, device=device, input=inputs)
        for attr in definition.attrs:
            if attr.name == "T" and "T" not in values:
                values["T"] = FLOAT
            if attr.name in values:
                attrs.encode(values[attr.name], attr.kind, node.attr[attr.name])
        return name

    def const(self, name: str, value: Any, device: str = "", inputs: Sequence[str] = ()) -> str:
        """Adds a constant; Python floats are float32."""
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        dtype = dtypes.as_dtype(array.dtype)
        return self.add("Const", name, inputs, device, value=array, dtype=dtype)

    def placeholder(self, name: str, device: str = "", dtype: Any = FLOAT) -> str:
        """Adds a placeholder."""
        return self.add("Placeholder", name, (), device, dtype=dtype)


class Session:
    """A direct session."""

    def __init__(self, runtime: DirectRuntime, config: ConfigProto) -> None:
        self.runtime = runtime
        self.handle = runtime.create_session(config)

    def extend(self, graph: GraphBuilder) -> None:
        """Adds the nodes of a graph."""
        self.runtime.extend_session(self.handle, graph.graph_def)

    def step(
        self,
        fetches: Sequence[str] = (),
        feeds: Sequence[str] = (),
        targets: Sequence[str] = (),
    ) -> DirectStep:
        """Prepares a step; names without ":" are outputs 0."""
        return self.runtime.make_callable(self.handle, signature(fetches, feeds, targets))

    def run(
        self,
        fetches: Sequence[str] = (),
        feeds: Mapping[str, Any] | None = None,
        targets: Sequence[str] = (),
    ) -> list[Any]:
        """Prepares and runs a step."""
        fed = feeds or {}
        step = self.step(fetches, tuple(fed), targets)
        return step([np.asarray(value) for value in fed.values()])

    def close(self) -> None:
        """Closes the session."""
        self.runtime.close_session(self.handle)

    @property
    def devices(self) -> list[Any]:
        """The session's DeviceCores."""
        return list(self.runtime._sessions[self.handle].devices.values())


class Sessions:
    """Opens sessions and closes them all."""

    def __init__(self) -> None:
        self._opened: list[Session] = []

    def open(
        self, graph: GraphBuilder | None = None, cpus: int = 1, threads: int = 4, **config: Any
    ) -> Session:
        """Opens a session with that many CPU devices and, with the caller, threads."""
        proto = ConfigProto(
            device_count={"CPU": cpus}, inter_op_parallelism_threads=threads, **config
        )
        session = Session(DirectRuntime(proto), proto)
        self._opened.append(session)
        if graph is not None:
            session.extend(graph)
        return session

    def close(self) -> None:
        """Closes all sessions."""
        for session in self._opened:
            session.close()


def signature(
    fetches: Sequence[str] = (), feeds: Sequence[str] = (), targets: Sequence[str] = ()
) -> StepSignature:
    """A signature; names without ":" are outputs 0."""
    return StepSignature(
        tuple(n if ":" in n else f"{n}:0" for n in feeds),
        tuple(n if ":" in n else f"{n}:0" for n in fetches),
        tuple(targets),
    )


def cpu(index: int) -> str:
    """The device string of a CPU device."""
    return f"/device:CPU:{index}"

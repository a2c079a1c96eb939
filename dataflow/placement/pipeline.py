"""Pipeline: a model over several devices, each with its weights, and several requests in flight."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from dataflow.errors import InvalidArgumentError
from dataflow.graph.apply_op import apply_op
from dataflow.graph.graph import Graph
from dataflow.importing.import_graph import import_graph_def
from dataflow.placement.place import place
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef, SignatureDef
from dataflow.saving.import_meta_graph import import_meta_graph
from dataflow.saving.saved_model.loader import SavedModelLoader
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.saving.state import checkpoint_exists
from dataflow.session.session import Session
from dataflow.values.tensor_proto import make_ndarray

if TYPE_CHECKING:
    from typing_extensions import Self


class Pipeline:
    """A model that was cut over devices.

    Weights are read, or sent, once: each device gets its own when the pipeline opens, and keeps
    them. Requests are steps of one session; those on different devices overlap.

    Args:
      model: The folder of a SavedModel, or a frozen GraphDef.
      devices: As for `place`.
      by: As for `place`.
      target: The session's: "" for this process, "ray", or a `Server.target`.
      signature: Of a SavedModel; by default "serving_default".
      outputs: Names of tensors to fetch, by the names that they shall have: of a GraphDef.
      tags: Of a SavedModel's graph.
      in_flight: How many requests at most; by default two more than there are devices.
      config: Of the session.
      **others: Further arguments of `place`.

    Raises:
      InvalidArgumentError: There is no such signature, or an argument is malformed.
      OpError: The model cannot be loaded.
    """

    def __init__(
        self,
        model: Any,
        devices: Any,
        by: str = "memory",
        *,
        target: str = "ray",
        signature: str | None = None,
        outputs: Mapping[str, str] | None = None,
        tags: Iterable[str] = ("serve",),
        in_flight: int | None = None,
        config: Any = None,
        **others: Any,
    ) -> None:
        self.graph = Graph()
        self._inputs: dict[str, str] = {}
        self._outputs: dict[str, str] = {}
        loader = meta_graph = None
        if isinstance(model, GraphDef):
            if not outputs:
                raise _invalid("a GraphDef needs outputs: the names of tensors to fetch")
            self._outputs = dict(outputs)
            self.placed = place(model, by, devices, outputs=list(outputs.values()), **others)
        else:
            loader = SavedModelLoader(model)
            tags = list(tags)
            meta_graph = loader.get_meta_graph_def_from_tags(tags)
            described = _signature(meta_graph, signature)
            self._inputs = {key: info.name for key, info in described.inputs.items()}
            self._outputs = {key: info.name for key, info in described.outputs.items()}
            given = {"outputs": list(self._outputs.values()), **others}
            self.placed = place(meta_graph, by, devices, **given)
        self._session = Session(target, graph=self.graph, config=config)
        try:
            if loader is not None and meta_graph is not None:
                self._load(loader, meta_graph, list(tags))
            else:
                with self.graph.as_default():
                    import_graph_def(self.placed, name="")
            self.graph.finalize()
            self._session.max_steps_in_flight = in_flight or len(devices) + 2
        except BaseException:
            self._session.close()
            raise

    def _load(self, loader: SavedModelLoader, meta_graph: MetaGraphDef, tags: list[str]) -> None:
        """Adds the placed graph, and has each device read its own variables."""
        placed = MetaGraphDef()
        placed.CopyFrom(meta_graph)
        placed.graph_def.CopyFrom(self.placed)
        with self.graph.as_default():
            saver = import_meta_graph(placed, clear_devices=False)
            if checkpoint_exists(loader.variables_path):
                restores = self._restores(loader.variables_path, placed.saver_def.restore_op_name)
                if restores is None:
                    loader.restore_variables(self._session, saver)
                for restore in restores or ():
                    self._session.run(restore)
            loader.run_init_ops(self._session, tags)

    def _restores(self, prefix: str, restore: str) -> list[list[Any]] | None:
        """Ops that read the variables of a checkpoint, for each device its own.

        The graph's own read all of them on one device, which may be too small. None if they do
        more than reading variables.
        """
        found: dict[str, list[Any]] = {}
        pending = [self.graph.get_operation_by_name(restore)]
        while pending:
            op = pending.pop()
            if op.type == "NoOp":
                pending.extend(op.control_inputs)
                continue
            read = _read(op)
            if read is None:
                return None
            key, part, dtype = read
            handle = op.inputs[0]
            with self.graph.device(handle.op.device):
                (value,) = apply_op(
                    "RestoreV2", prefix, [key], [part], dtypes=[dtype], name="placed/read"
                )
                assigned = apply_op(op.type, handle, value, name="placed/assign")
            found.setdefault(handle.op.device, []).append(assigned)
        return list(found.values())

    def submit(self, inputs: Mapping[str, Any]) -> Future[dict[str, Any]]:
        """Starts a request, and returns while it runs; waits while too many are in flight.

        Args:
          inputs: Values by the names of the signature's inputs, or of tensors.

        Returns:
          A future of the outputs by name.
        """
        feeds = {self._inputs.get(name, name): value for name, value in inputs.items()}
        return self._session.run_async(dict(self._outputs), feeds)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs for some inputs; see `submit`."""
        return self.submit(inputs).result()

    def map(self, requests: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """The outputs for many inputs, in their order, with as many in flight as may be."""
        pending: deque[Future[dict[str, Any]]] = deque()
        for request in requests:
            pending.append(self.submit(request))
            while pending and pending[0].done():
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    @property
    def session(self) -> Session:
        """The session that runs the steps."""
        return self._session

    def close(self) -> None:
        """Ends the requests in flight, and frees the weights."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _read(op: Any) -> tuple[str, str, Any] | None:
    """The key, the part and the type of what an op writes into a variable from a checkpoint."""
    if op.type not in ("Assign", "AssignVariableOp"):
        return None
    value = op.inputs[1]
    while value.op.type == "Identity":
        value = value.op.inputs[0]
    if value.op.type != "RestoreV2":
        return None
    constants = [each.op for each in value.op.inputs[1:]]
    if any(each.type != "Const" for each in constants):
        return None
    keys, parts = (make_ndarray(each.get_attr("value")).tolist() for each in constants)
    return keys[value.value_index].decode(), parts[value.value_index].decode(), value.dtype


def _signature(meta_graph: MetaGraphDef, name: str | None) -> SignatureDef:
    name = name or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if name not in meta_graph.signature_def:
        there = ", ".join(sorted(meta_graph.signature_def)) or "none"
        raise _invalid(f"there is no signature '{name}'; there are: {there}")
    return meta_graph.signature_def[name]


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)

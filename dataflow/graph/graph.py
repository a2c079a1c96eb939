"""Graph: the operations of a program under construction."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Any

from dataflow.graph import creation_site, default_stacks, shape_inference
from dataflow.graph.contexts import check_input_from_valid_context
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation, new_operation
from dataflow.graph.parts import export as graph_export
from dataflow.graph.parts import picture
from dataflow.graph.parts.collections import GraphCollections
from dataflow.graph.parts.elements import as_graph_element
from dataflow.graph.parts.functions import FunctionHost
from dataflow.graph.parts.internals import GraphInternals
from dataflow.graph.parts.names import GraphNames
from dataflow.graph.parts.open_scopes import GraphScopes
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.versions_pb2 import VersionDef
from dataflow.schema import arguments as op_schema
from dataflow.schema import opdef
from dataflow.schema.opdef import OpDef
from dataflow.values import attrs as attr_codec
from dataflow.values import versions
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.devices import DeviceSpec
from dataflow.values.python.functions import PythonFunction
from dataflow.values.system_errors import system_errors

OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")


def _check_name(name: str) -> None:
    if not OP_NAME.match(name):
        raise ValueError(f"'{name}' is not a valid node name")


class Graph(FunctionHost, GraphInternals):
    """A static dataflow graph: operations, tensors between them, and named collections.

    Operations are only ever added. A lock guards registration, so many threads may add to one
    graph; the scopes they open are their own.

    >>> with tf.Graph().as_default() as graph:
    ...     a = tf.constant(1.0, name="a")
    >>> [op.name for op in graph.get_operations()]
    ['a']
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._building = threading.RLock()
        """Held while what was added is not whole yet: no other thread sends it to a session."""
        self._operations: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._names = GraphNames()
        self._scopes = GraphScopes()
        self._collections = GraphCollections(self._lock)
        self._finalized = False
        self._seed: int | None = None
        self._seeds_taken = itertools.count()
        self._versions = VersionDef(
            producer=versions.GRAPH_DEF_VERSION,
            min_consumer=versions.GRAPH_DEF_VERSION_MIN_CONSUMER,
        )
        self._unfeedable: set[Tensor] = set()
        self._unfetchable: set[Operation] = set()
        self._mutation_listener: Callable[[Operation, str], None] | None = None
        self._reduced_shape_cache: dict[Any, Any] = {}
        self._python_functions: list[PythonFunction] = []
        """Kept alive for the nodes that call them."""

    # Adding operations

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        dtypes: Any = None,
        input_types: Any = None,
        name: str | bytes | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation of a registered type.

        Args:
          op_type: The op type.
          inputs: Input tensors, lists flattened.
          dtypes: Ignored: the schema says what comes out.
          input_types: Ignored: the schema says what goes in.
          name: A name; made unique. One that ends in "/" is taken as it is.
          attrs: Attr values, decoded or as AttrValue; defaults are filled in.
          op_def: Ignored: op types are registered with `define_op`.
          compute_shapes: Ignored: shapes are always inferred.
          compute_device: Ignored: device scopes always apply.

        Raises:
          RuntimeError: The graph is finalized or the op type is unknown.
          TypeError: An input is no tensor or of a type the op does not take.
          ValueError: The name, an attr or the input shapes are invalid.
        """
        return self._fill_op(new_operation(), op_type, inputs, name, attrs)

    def _add_node(self, op: Operation, node_def: NodeDef, inputs: Sequence[Tensor]) -> None:
        """Makes a new operation the node that a NodeDef describes, of exactly its name."""
        _check_name(node_def.name)
        self._fill_op(op, node_def.op, inputs, f"{node_def.name}/", dict(node_def.attr))
        if node_def.device:
            op._set_device_from_string(node_def.device)

    def _fill_op(
        self,
        op: Operation,
        op_type: str,
        inputs: Sequence[Tensor],
        name: str | bytes | None,
        attrs: dict[str, Any] | None,
    ) -> Operation:
        definition = opdef.find(op_type) or self._functions.op_def(op_type)
        if definition is None:
            raise RuntimeError(
                f"Op type not registered '{op_type}'. Make sure the module that defines the op is "
                "imported before it is used."
            )
        decoded = {
            key: attr_codec.decode(value) if isinstance(value, AttrValue) else value
            for key, value in (attrs or {}).items()
        }
        for attr in definition.attrs:
            if attr.name not in decoded and attr.has_default:
                decoded[attr.name] = attr.default
        name = name.decode() if isinstance(name, bytes) else name
        for tensor in inputs:
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{tensor!r} is not a tensor: {tensor}")
        inputs = self._own_inputs(inputs)
        for tensor in inputs:
            self._check_same_graph(tensor)
        op_schema.add_types_of_inputs(definition.inputs, inputs, decoded)
        expected = definition.input_types(decoded)
        op_schema.check_input_types(name or op_type, [t.dtype for t in inputs], expected)
        return self.add_op(definition, inputs, decoded, name, op)

    def add_op(
        self,
        op_def: OpDef,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        name: str | None,
        op: Operation | None = None,
    ) -> Operation:
        """Adds an operation, a new one or `op`, whose inputs and attrs are known to fit."""
        scopes = self._scopes
        with self._lock:
            if self._finalized:
                raise RuntimeError("Graph is finalized and cannot be modified.")
            if not name:
                name = op_def.name
            if name[-1] == "/":
                name = name[:-1]
            else:
                name = self.unique_name(name)
            _check_name(name)
            if name in self._by_name:
                raise ValueError(f"Duplicate node name in graph: '{name}'")
            control: list[Operation] = []
            if scopes.control_stack:
                control = scopes.control_inputs_for({t._op for t in inputs})
                for dependency in control:
                    self._check_same_graph(dependency)
            op = (op or new_operation())._begin(
                self, op_def, name, inputs, attrs, control, creation_site.capture()
            )
            shape_inference.infer(op, op_def.output_types(attrs))
            scopes.apply(op)
            context = op._control_flow_context
            for tensor in inputs:
                if tensor._op._control_flow_context is not context:
                    check_input_from_valid_context(op, tensor._op)
            self._link(op)
            if context is not None:
                context.AddOp(op)
            if scopes.control_stack:
                scopes.note_made(op)
        return op

    def _own_inputs(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        """What the inputs of a new operation are in this graph; functions capture outer tensors."""
        return inputs

    def _link(self, op: Operation) -> None:
        """Makes a finished operation part of the graph."""
        for tensor in op._inputs:
            tensor._consumers.append(op)
        for dependency in op._control_inputs:
            dependency._control_outputs.append(op)
        op._id = len(self._operations) + 1
        # No interrupt comes between these two lines.
        self._by_name[op.name] = op
        self._operations.append(op)

    def _check_same_graph(self, item: Tensor | Operation) -> None:
        if item.graph is not self:
            kind = "Tensor" if isinstance(item, Tensor) else "Operation"
            raise ValueError(
                f"{kind} {item.name!r} must be from the same graph as the operation that is made "
                f"from it ({item.graph!r} is not {self!r})."
            )

    def _note_mutation(self, op: Operation, change: str) -> None:
        if self._mutation_listener is not None:
            self._mutation_listener(op, change)

    # Looking things up

    @property
    def version(self) -> int:
        """Grows with each operation added."""
        return len(self._operations)

    @property
    def _c_graph(self) -> Graph:
        """The graph itself: libraries hand it on to functions of TensorFlow's C interface."""
        return self

    @property
    def graph_def_versions(self) -> VersionDef:
        """Producer and consumer versions that go into GraphDef."""
        return self._versions

    def get_operations(self) -> list[Operation]:
        """All operations, in the order they were added."""
        with self._lock:
            return list(self._operations)

    @property
    def operations(self) -> list[Operation]:
        """As `get_operations` gives them."""
        return self.get_operations()

    def num_operations(self) -> int:
        """How many operations there are."""
        return len(self._operations)

    def new_operations(self) -> list[Operation]:
        """Operations that the graph holds and Python does not know yet: none, ever."""
        return []

    @property
    def _nodes_by_name(self) -> Mapping[str, Operation]:
        """As programs that look for a node say it."""
        return MappingProxyType(self._by_name)

    @shortened
    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name.

        Raises:
          TypeError: `name` is no string.
          KeyError: There is none.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        found = self.as_graph_element(name, allow_tensor=False, allow_operation=True)
        assert isinstance(found, Operation)
        return found

    @shortened
    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor of that name, "op:0".

        Raises:
          TypeError: `name` is no string.
          KeyError: There is none.
          ValueError: `name` does not have the form of a tensor name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        found = self.as_graph_element(name, allow_tensor=True, allow_operation=False)
        assert isinstance(found, Tensor)
        return found

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Tensor | Operation:
        """The tensor or operation that an object, or a name, stands for.

        Raises:
          TypeError: `obj` is of a kind that stands for neither.
          ValueError: `obj` belongs to another graph or is not a valid name.
          KeyError: The graph has nothing of that name.
        """
        with self._lock:
            return as_graph_element(self, self._by_name, obj, allow_tensor, allow_operation)

    # Names and scopes

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name in the current name scope that no operation has yet, whatever its case."""
        if self._scopes.name_stack:
            name = f"{self._scopes.name_stack}/{name}"
        with self._lock:
            return self._names.unique(name, mark_as_used)

    def _scope_names(self) -> set[str]:
        """The scopes that operations are in."""
        with self._lock:
            return self._names.scopes_of(self._operations)

    def get_name_scope(self) -> str:
        """The current name scope, without a slash at its end."""
        return self._scopes.name_stack

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Opens a name scope; None or "" goes back to the root, "x/" is taken as it is.

        Raises:
          ValueError: `name` is not a valid scope name.
        """
        if name:
            self._scopes.check_name(name)
            scope = name[:-1] if name[-1] == "/" else self.unique_name(name)
        else:
            scope = ""
        old = self._scopes.name_stack
        self._scopes.name_stack = scope
        try:
            yield f"{scope}/" if name else ""
        finally:
            self._scopes.name_stack = old

    def device(self, device_name_or_function: Any) -> AbstractContextManager[None]:
        """Places the operations made inside; inner scopes win, field by field."""
        return self._scopes.device(device_name_or_function, creation_site.capture(1))

    @property
    def _name_stack(self) -> str:
        """The open name scope, as other libraries read it."""
        return self._scopes.name_stack

    def _apply_device_functions(self, op: Any) -> None:
        """Tells an operation of the open device scopes; Keras asks by what only looks like one."""
        if not hasattr(op, "_set_device_from_string"):
            device = self._scopes.merged_device
            if device:
                op._set_device(DeviceSpec.from_string(device))
        elif self._scopes.merged_device != "":
            self._scopes.apply_device(op)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
        """Puts the operations made inside on the device of `op`, whatever device scopes say.

        What is no operation and has none becomes a tensor.
        """
        return self._colocated(op, ignore_existing, creation_site.capture(1))

    @contextmanager
    def _colocated(self, op: Any, ignore_existing: bool, site: Any) -> Iterator[None]:
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        if op is not None and not isinstance(op, Operation):
            op = (op if hasattr(op, "op") else convert_to_tensor(op, as_ref=True)).op
        with self._scopes.colocated(op, ignore_existing, site):
            yield

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Makes operations made inside wait for these; None forgets the outer contexts."""
        ops: list[Operation] | None = None
        if control_inputs is not None:
            ops = []
            for item in control_inputs:
                element: Any = item
                is_variable = hasattr(item, "_handle") and hasattr(item, "op")
                is_composite = isinstance(item, CompositeTensor) and hasattr(item, "op")
                if is_variable or is_composite:
                    element = item.op
                elif not isinstance(item, (Tensor, Operation)):
                    element = self.as_graph_element(item)
                if element.graph is not self:
                    # Says that it is not of this one.
                    element = self.as_graph_element(element)
                if isinstance(element, Tensor):
                    element = element.op
                if element not in ops:
                    ops.append(element)
        with self._scopes.control_dependencies(ops):
            yield

    def _get_control_flow_context(self) -> Any:
        """The branch or loop that operations are made in, or None."""
        return self._scopes.control_flow_context

    def _set_control_flow_context(self, ctx: Any) -> None:
        self._scopes.control_flow_context = ctx

    @property
    def _container(self) -> str:
        return self._scopes.container

    def container(self, container_name: str) -> AbstractContextManager[None]:
        """Keeps the state of operations made inside in a named resource container."""
        return self._scopes.swapped(container=container_name)

    def gradient_override_map(self, op_type_map: dict[str, str]) -> AbstractContextManager[None]:
        """Gives op types other gradient functions inside the context.

        Raises:
          TypeError: `op_type_map` is not a dictionary from strings to strings.
        """
        return self._scopes.overriding_gradients(op_type_map)

    def _attr_scope(self, attr_map: dict[str, Any]) -> AbstractContextManager[None]:
        """Adds attrs to the operations made inside; a value None takes an outer one off.

        Raises:
          TypeError: It is no dictionary of AttrValues, or of what gives one for a NodeDef, by name.
        """
        told = "attr_map must be a dictionary mapping strings to AttrValue protocol buffers"
        if not isinstance(attr_map, dict):
            raise TypeError(told)
        for key, value in attr_map.items():
            named = isinstance(key, str)
            if not named or not (value is None or callable(value) or isinstance(value, AttrValue)):
                raise TypeError(f"{told} or callables that emit AttrValue protocol buffers")
        return self._scopes.with_attrs(attr_map)

    def _original_op(self, op: Operation) -> AbstractContextManager[None]:
        """Says that operations made inside stem from `op`, for error texts."""
        return self._scopes.swapped(original_op=op)

    def _repr_html_(self) -> str:
        """What a notebook shows: the operations by scopes that fold, with devices and shapes."""
        return picture.picture(self)

    def show(self, path: Any) -> None:
        """Writes what a notebook shows of the graph as a page that needs nothing else.

        Args:
          path: The HTML file; one that is there is replaced.

        Raises:
          NotFoundError: Its folder does not exist.
        """
        with system_errors(), open(path, "w", encoding="utf-8") as file:
            file.write(picture.page(self))

    def as_default(self) -> AbstractContextManager[Graph]:
        """Makes this the thread's default graph inside the context."""
        return default_stacks.graphs.entered(self)

    def switch_to_thread_local(self) -> None:
        """Kept for compatibility: scopes always are a thread's own."""

    # Collections

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends to a collection."""
        self._check_not_finalized()
        self._collections.add(name, value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends to several collections, once to each."""
        self._check_not_finalized()
        self._collections.add_to_each(names, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of a collection; with `scope`, only what has a name that starts like it."""
        return self._collections.get(name, scope)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection itself."""
        return self._collections.live(name)

    def get_all_collection_keys(self) -> list[Any]:
        """Names of the collections."""
        return [key for key in self.collections if isinstance(key, str)]

    @property
    def collections(self) -> list[Any]:
        """Names of all collections, strings or not."""
        return self._collections.keys()

    def clear_collection(self, name: Any) -> None:
        """Forgets a collection."""
        self._check_not_finalized()
        self._collections.clear(name)

    # State

    @property
    def seed(self) -> int | None:
        """The graph-level random seed."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    def next_seed(self) -> int:
        """An op-level seed for an op that was given none: 0, 1, 2, ..."""
        return next(self._seeds_taken)

    @property
    def finalized(self) -> bool:
        """True if nothing can be added any more."""
        return self._finalized

    def finalize(self) -> None:
        """Refuses every later change of the graph."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Refuses feeds for a tensor."""
        self._unfeedable.add(tensor)

    def is_feedable(self, tensor: Tensor) -> bool:
        """True if a session may feed the tensor."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Operation) -> None:
        """Refuses fetches of an operation and its outputs."""
        self._unfetchable.add(op)

    def is_fetchable(self, tensor_or_op: Tensor | Operation) -> bool:
        """True if a session may fetch it."""
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable

    # Serialising

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> GraphDef:
        """The graph as a GraphDef.

        Args:
          from_version: Leaves out the operations the graph had at that `version`.
          add_shapes: Adds static shapes as attr `_output_shapes`.

        Raises:
          ValueError: The graph is larger than 2 GB; the text lists its largest constants.
        """
        with self._lock:
            operations = self._operations[from_version or 0 :]
        return graph_export.export(operations, self._versions, self._functions, add_shapes)

    def _new_nodes(self, from_version: int) -> tuple[GraphDef, list[Mapping[str, Any]]]:
        """The operations since a version as a GraphDef without attrs, and the attrs of each.

        For a runtime in this process, which needs no bytes; nothing of the attrs is copied.
        """
        with self._lock:
            operations = self._operations[from_version:]
        graph_def = graph_export.export(
            operations, self._versions, self._functions, add_shapes=False, with_attrs=False
        )
        return graph_def, [operation.attrs for operation in operations]

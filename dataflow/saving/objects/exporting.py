"""The graph of a SavedModel of objects, and what it says of the objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.graph.constant_value import constant_value
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.function import ConcreteFunction
from dataflow.library.concrete.structured_values import encoded
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.placeholder import placeholder
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_object_graph_pb2 import SavedObject, SavedObjectGraph
from dataflow.saving.checkpoint.object_graph import Node
from dataflow.saving.checkpoint.trackables import is_variable
from dataflow.saving.objects.calling import RestoredFunction, functions_of
from dataflow.saving.objects.restored import Asset, RestoredOptimizer, RestoredResource
from dataflow.saving.saved_model.assets import copy_assets
from dataflow.saving.saved_model.constants import INIT_OP_SIGNATURE_KEY
from dataflow.saving.saved_model.signature_constants import PREDICT_METHOD_NAME
from dataflow.saving.saved_model.signature_defs import build_signature_def, op_signature_def
from dataflow.saving.saved_model.tensor_infos import build_tensor_info
from dataflow.saving.saver import Saver
from dataflow.values import dtypes
from dataflow.values.versions import VERSION
from dataflow.variables.resource_variable import ResourceVariable


def exported(
    nodes: Sequence[Node],
    signatures: Mapping[str, ConcreteFunction],
    folder: str,
    options: Any,
) -> MetaGraphDef:
    """The graph, with its signatures and objects.

    Args:
      nodes: The objects.
      signatures: Functions by key.
      folder: Where files that the objects need are copied to.
      options: A `SaveOptions`.
    """
    with Graph().as_default() as graph:
        return _Export(graph, nodes, folder).run(signatures, options)


class _Export:
    """Makes the graph."""

    def __init__(self, graph: Graph, nodes: Sequence[Node], folder: str) -> None:
        self._graph = graph
        self._nodes = nodes
        self._folder = folder
        self._objects = SavedObjectGraph()
        self._places: dict[int, int] = {}
        """Captured tensor, by its identity -> the object that it belongs to,"""
        self._tensors: dict[int, Tensor] = {}
        """and what stands for it in this graph."""
        self._functions: dict[str, ConcreteFunction] = {}
        self._numbers: dict[int, int] = {}
        """Function, by its identity -> number of its object."""
        self._variables: dict[str, ResourceVariable] = {}
        self._meta_graph = MetaGraphDef()

    def run(self, signatures: Mapping[str, ConcreteFunction], options: Any) -> MetaGraphDef:
        """Makes all."""
        for number, node in enumerate(self._nodes):
            made = self._objects.nodes.add()
            for name, child in node.children:
                made.children.add(node_id=child, local_name=name)
            for variable, name, slot in node.slots:
                made.slot_variables.add(
                    original_variable_node_id=variable, slot_name=name, slot_variable_node_id=slot
                )
            self._describe(number, node, made)
        for number, node in enumerate(self._nodes):
            for name, function in functions_of(node.value).items():
                place = self._function(function)
                self._objects.nodes[number].children.add(node_id=place, local_name=name)
        for number, node in enumerate(self._nodes):
            if isinstance(node.value, RestoredResource):
                self._make_resource(number, node.value)
        self._add_signatures(signatures)
        for name, function in self._functions.items():
            self._bind(name, function)
        return self._finished(signatures, options)

    def _describe(self, number: int, node: Node, made: SavedObject) -> None:
        value = node.value
        if is_variable(value):
            self._variable(number, node, made)
        elif isinstance(value, Asset):
            tensor = constant(value._path, dtypes.string, name="asset_path")
            made.asset.asset_file_def_index = len(self._meta_graph.asset_file_def)
            copy_assets([tensor], self._folder, set(), self._meta_graph.asset_file_def.append)
            self._stand_in(value.asset_path, number, tensor)
        elif isinstance(value, RestoredResource):
            if value.has_contents:
                raise ValueError(
                    f"The object at '{node.path}' is a table whose contents steps can change. "
                    "tf.saved_model.save does not write those; a table of tf.lookup that is filled "
                    "by an initializer can be saved."
                )
            made.resource.device = value._device
        else:
            made.user_object.identifier = _identifier(value)
            made.user_object.version.producer = 1
            made.user_object.version.min_consumer = 1

    def _stand_in(self, tensor: Tensor, number: int, own: Tensor) -> None:
        self._places[id(tensor)] = number
        self._tensors[id(tensor)] = own

    def _variable(self, number: int, node: Node, made: SavedObject) -> None:
        value = node.value
        name = value.op.name
        about = made.variable
        about.dtype = value.dtype.base_dtype.as_datatype_enum
        about.shape.CopyFrom(value.shape.as_proto())
        about.trainable = bool(value.trainable)
        about.synchronization = value.synchronization.value
        about.aggregation = value.aggregation.value
        about.name = name
        own = ResourceVariable(
            lambda: zeros([size or 0 for size in value.shape.as_list()], value.dtype.base_dtype),
            trainable=value.trainable,
            name=name,
            shape=value.shape,
        )
        self._variables[node.key] = own
        handle = getattr(value, "handle", None)
        if isinstance(handle, Tensor):
            self._stand_in(handle, number, own.handle)

    def _make_resource(self, number: int, value: RestoredResource) -> None:
        create = value._create_resource  # type: ignore[attr-defined]
        made = _only(create)._call([], [])
        self._stand_in(value.resource_handle, number, made[0])

    def _function(self, function: Any) -> int:
        """The number of the object of a function."""
        if id(function) in self._numbers:
            return self._numbers[id(function)]
        number = self._numbers[id(function)] = len(self._objects.nodes)
        made = self._objects.nodes.add()
        if isinstance(function, RestoredFunction):
            made.function.function_spec.CopyFrom(function.function_spec)
            for each in function.concrete_functions:
                made.function.concrete_functions.append(each.name)
                self._functions[each.name] = each
        else:
            about = made.bare_concrete_function
            about.concrete_function_name = function.name
            about.argument_keywords.extend(function._arguments.names)
            about.allowed_positional_arguments = function._arguments.positional
            self._functions[function.name] = function
        return number

    def _add_signatures(self, signatures: Mapping[str, ConcreteFunction]) -> None:
        """An object with the functions of signatures is an attribute of the root."""
        number = len(self._objects.nodes)
        made = self._objects.nodes.add()
        made.user_object.identifier = "signature_map"
        made.user_object.version.producer = 1
        made.user_object.version.min_consumer = 1
        for key, function in signatures.items():
            made.children.add(node_id=self._function(function), local_name=key)
        self._objects.nodes[0].children.add(node_id=number, local_name="signatures")

    def _bind(self, name: str, function: ConcreteFunction) -> None:
        function._add_to(self._graph)
        about = self._objects.concrete_functions[name]
        for tensor in function.captured_inputs:
            if id(tensor) not in self._places:
                self._capture(name, tensor)
            about.bound_inputs.append(self._places[id(tensor)])
        about.canonicalized_input_signature.CopyFrom(encoded(function.structured_input_signature))
        about.output_signature.CopyFrom(encoded(function.structured_outputs))

    def _capture(self, name: str, tensor: Tensor) -> None:
        """Makes an object of a constant that a function takes."""
        if tensor.dtype in (dtypes.resource, dtypes.variant):
            raise AssertionError(
                f"Tried to export a function which references an 'untracked' resource. TensorFlow "
                "objects (e.g. tf.Variable) captured by functions must be 'tracked' by assigning "
                "them to an attribute of a tracked object or assigned to an attribute of the main "
                f"object directly. Function name = {name}, captured tensor = {tensor}"
            )
        value = constant_value(tensor)
        if value is None:
            raise ValueError(
                f"Attempted to save a function {name} which references a symbolic Tensor {tensor} "
                "that is not a simple constant. This is not supported."
            )
        own = constant(value, tensor.dtype)
        self._stand_in(tensor, len(self._objects.nodes), own)
        self._objects.nodes.add().constant.operation = own.op.name

    def _called(self, function: ConcreteFunction, values: Sequence[Any]) -> Any:
        """A call of a function in this graph."""
        captured = [self._tensors[id(tensor)] for tensor in function.captured_inputs]
        return function._call(values, captured)

    def _finished(self, signatures: Mapping[str, ConcreteFunction], options: Any) -> MetaGraphDef:
        made = self._meta_graph
        for key, function in signatures.items():
            specs = zip(function._arguments.names, function._arguments.specs, strict=True)
            given = {
                name: placeholder(spec.dtype, spec.shape, f"{key}_{name}") for name, spec in specs
            }
            found = function._packed(self._called(function, list(given.values())))
            made.signature_def[key].CopyFrom(
                build_signature_def(_infos(given), _infos(found), PREDICT_METHOD_NAME)
            )
        fills = [
            self._called(_only(fill), [])
            for node in self._nodes
            if isinstance(node.value, RestoredResource)
            and (fill := getattr(node.value, "_initialize", None)) is not None
        ]
        init = group(*fills, name="init")
        made.signature_def[INIT_OP_SIGNATURE_KEY].CopyFrom(
            op_signature_def(init, INIT_OP_SIGNATURE_KEY)
        )
        if self._variables:
            made.saver_def.CopyFrom(Saver(self._variables).as_saver_def())
        made.graph_def.CopyFrom(self._graph.as_graph_def())
        made.object_graph_def.CopyFrom(self._objects)
        info = made.meta_info_def
        info.tags.extend(sorted({"serve", *(options.extra_tags or ())}))
        info.tensorflow_version = VERSION
        for alias, function in options.function_aliases.items():
            for each in getattr(function, "concrete_functions", (function,)):
                info.function_aliases[each.name] = alias
        return made


def _only(function: Any) -> ConcreteFunction:
    """The one function that a function without arguments stands for."""
    return getattr(function, "concrete_functions", (function,))[0]  # type: ignore[no-any-return]


def _infos(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def _identifier(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "trackable_list_wrapper"
    if isinstance(value, dict):
        return "trackable_dict_wrapper"
    if isinstance(value, RestoredOptimizer) or hasattr(value, "get_slot_names"):
        return "optimizer"
    return "_generic_user_object"

"""The graph of a SavedModel of objects, and what it says of the objects."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.graph.constant_value import constant_value
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.function import ConcreteFunction
from dataflow.library.concrete.structured_values import encoded
from dataflow.library.lookup.resources import TrackableResource
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.placeholder import placeholder
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_object_graph_pb2 import SavedObject, SavedObjectGraph
from dataflow.saving.checkpoint.object_graph import Node
from dataflow.saving.objects.calling import RestoredFunction
from dataflow.saving.objects.options import VariablePolicy
from dataflow.saving.objects.parts import Parts, is_resource, only
from dataflow.saving.objects.restored import Asset, CapturedTensor, Contents, RestoredOptimizer
from dataflow.saving.saved_model.assets import copy_assets
from dataflow.saving.saved_model.constants import INIT_OP_SIGNATURE_KEY
from dataflow.saving.saved_model.signature_constants import PREDICT_METHOD_NAME
from dataflow.saving.saved_model.signature_defs import build_signature_def, op_signature_def
from dataflow.saving.saved_model.tensor_infos import build_tensor_info
from dataflow.saving.saver import Saver
from dataflow.values import dtypes
from dataflow.values.versions import VERSION
from dataflow.variables.resource_variable import ResourceVariable
from dataflow.variables.tracked import is_variable


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
    parts = [Parts(node.value) for node in nodes]
    with Graph().as_default() as graph:
        return _Export(graph, nodes, parts, folder, options).run(signatures)


class _Export:
    """Makes the graph."""

    def __init__(
        self, graph: Graph, nodes: Sequence[Node], parts: Sequence[Parts], folder: str, options: Any
    ) -> None:
        self._graph = graph
        self._nodes = nodes
        self._parts = parts
        self._folder = folder
        self._options = options
        self._objects = SavedObjectGraph()
        self._places: dict[int, int] = {}
        """Captured tensor, by its identity -> the object that it belongs to,"""
        self._tensors: dict[int, Tensor] = {}
        """and what stands for it in this graph."""
        self._functions: dict[str, ConcreteFunction] = {}
        self._numbers: dict[int, int] = {}
        """Function, by its identity -> number of its object."""
        self._values: dict[str, Any] = {}
        """What checkpoints hold, by its key."""
        self._meta_graph = MetaGraphDef()

    def run(self, signatures: Mapping[str, ConcreteFunction]) -> MetaGraphDef:
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
        for number, parts in enumerate(self._parts):
            made = self._objects.nodes[number]
            for name, function in parts.functions.items():
                made.children.add(node_id=self._function(function), local_name=name)
            for name, pair in parts.contents.items():
                about = made.saveable_objects[name]
                about.save_function, about.restore_function = map(self._function, pair)
        for number, node in enumerate(self._nodes):
            if is_resource(node.value):
                self._make_resource(number, node.value)
        self._add_signatures(signatures)
        for name, function in tuple(self._functions.items()):
            self._bind(name, function)
        return self._finished(signatures)

    def _describe(self, number: int, node: Node, made: SavedObject) -> None:
        value = node.value
        if is_variable(value):
            self._variable(number, node, made)
        elif isinstance(value, Asset):
            self._asset(value.asset_path, value._path, number, made)
        elif is_resource(value):
            made.resource.device = value._resource_device
        else:
            made.user_object.identifier = _identifier(value)
            made.user_object.version.producer = 1
            made.user_object.version.min_consumer = 1

    def _asset(self, tensor: Tensor, path: str, number: int, made: SavedObject) -> None:
        own = constant(path, dtypes.string, name="asset_path")
        made.asset.asset_file_def_index = len(self._meta_graph.asset_file_def)
        copy_assets([own], self._folder, set(), self._meta_graph.asset_file_def.append)
        self._stand_in(tensor, number, own)

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
        if self._options.experimental_variable_policy is VariablePolicy.SAVE_VARIABLE_DEVICES:
            about.device = value.device
        own = ResourceVariable(
            lambda: zeros([size or 0 for size in value.shape.as_list()], value.dtype.base_dtype),
            trainable=value.trainable,
            name=name,
            shape=value.shape,
        )
        self._values[node.key] = own
        handle = getattr(value, "handle", None)
        if isinstance(handle, Tensor):
            self._stand_in(handle, number, own.handle)

    def _make_resource(self, number: int, value: TrackableResource) -> None:
        create = self._parts[number].functions["_create_resource"]
        made = only(create)._call([], [])
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
        function.add_to_graph(self._graph)
        about = self._objects.concrete_functions[name]
        for tensor in function.captured_inputs:
            if id(tensor) not in self._places:
                self._capture(name, tensor)
            about.bound_inputs.append(self._places[id(tensor)])
        about.canonicalized_input_signature.CopyFrom(encoded(function.structured_input_signature))
        about.output_signature.CopyFrom(encoded(function.structured_outputs))

    def _capture(self, name: str, tensor: Any) -> None:
        """Makes an object of a constant that a function takes, or of what its caller computes."""
        if isinstance(tensor, CapturedTensor):
            about = self._objects.nodes.add().captured_tensor
            about.name, about.concrete_function = tensor.name, tensor.function.name
            self._places[id(tensor)] = len(self._objects.nodes) - 1
            inner = not isinstance(tensor.function, ConcreteFunction)
            if not inner and tensor.function.name not in self._functions:
                self._functions[tensor.function.name] = tensor.function
                self._bind(tensor.function.name, tensor.function)
            return
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
        number, made = len(self._objects.nodes), self._objects.nodes.add()
        if any(tensor is file for file in tensor.graph.get_collection(GraphKeys.ASSET_FILEPATHS)):
            self._asset(tensor, os.fsdecode(value.item()), number, made)
            return
        own = constant(value, tensor.dtype)
        self._stand_in(tensor, number, own)
        made.constant.operation = own.op.name

    def _called(self, function: ConcreteFunction, values: Sequence[Any]) -> Any:
        """A call of a function in this graph."""
        captured = [self._tensors[id(tensor)] for tensor in function.captured_inputs]
        return function._packed(function._call(values, captured))

    def _contents(self, node: Node, pair: tuple[Any, Any]) -> Contents:
        """What a Saver of this graph saves of a resource."""
        save, restore = (only(each) for each in pair)
        return Contents(
            (
                lambda key: self._called(save, [key]),
                lambda *values: self._called(restore, values),
            ),
            self._tensors[id(node.value.resource_handle)].op,
            node.key,
        )

    def _finished(self, signatures: Mapping[str, ConcreteFunction]) -> MetaGraphDef:
        made = self._meta_graph
        for key, function in signatures.items():
            specs = zip(function._arguments.names, function._arguments.specs, strict=True)
            given = {
                name: placeholder(spec.dtype, spec.shape, f"{key}_{name}") for name, spec in specs
            }
            found = self._called(function, list(given.values()))
            made.signature_def[key].CopyFrom(
                build_signature_def(_infos(given), _infos(found), PREDICT_METHOD_NAME)
            )
        fills = [
            self._called(only(parts.functions["_initialize"]), [])
            for node, parts in zip(self._nodes, self._parts, strict=True)
            if is_resource(node.value) and "_initialize" in parts.functions
        ]
        init = group(*fills, name="init")
        made.signature_def[INIT_OP_SIGNATURE_KEY].CopyFrom(
            op_signature_def(init, INIT_OP_SIGNATURE_KEY)
        )
        for node, parts in zip(self._nodes, self._parts, strict=True):
            for pair in parts.contents.values():
                self._values[node.key] = self._contents(node, pair)
        if self._values and not self._options.experimental_skip_saver:
            made.saver_def.CopyFrom(Saver(self._values).as_saver_def())
        made.graph_def.CopyFrom(self._graph.as_graph_def())
        made.object_graph_def.CopyFrom(self._objects)
        info = made.meta_info_def
        info.tags.extend(sorted({"serve", *(self._options.extra_tags or ())}))
        info.tensorflow_version = VERSION
        for alias, function in self._options.function_aliases.items():
            for each in getattr(function, "concrete_functions", (function,)):
                info.function_aliases[each.name] = alias
        return made


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

"""tf.saved_model.load_v2: a SavedModel as an object with variables, functions and signatures."""

from __future__ import annotations

from typing import Any

from dataflow.differentiation.registry import RegisterGradient
from dataflow.errors import DataLossError
from dataflow.functions.func_graph import uid
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.function import ConcreteFunction
from dataflow.ops.basic.constant import constant
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_object_graph_pb2 import (
    SaveableObject,
    SavedObject,
    SavedObjectGraph,
)
from dataflow.saving.object_names import saved_objects
from dataflow.saving.objects.calling import RestoredFunction
from dataflow.saving.objects.functions import concrete_function, function_of_spec, library
from dataflow.saving.objects.own_gradients import SavedGradient, functions_around
from dataflow.saving.objects.restored import (
    Asset,
    CapturedTensor,
    Contents,
    Restored,
    RestoredOptimizer,
    RestoredResource,
    SignatureMap,
    attach,
    revived,
)
from dataflow.saving.objects.version_1 import load_version_1
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saved_model.assets import path_of
from dataflow.saving.saved_model.files import parse_saved_model
from dataflow.saving.saved_model.paths import folder_path, get_variables_path
from dataflow.saving.state import checkpoint_exists
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.values.tensor_proto import make_ndarray
from dataflow.variables.resource_variable import ResourceVariable

_VALUE = "VARIABLE_VALUE"


def load_v2(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Loads a SavedModel into the default graph, as an object.

    Its functions add calls to a graph; `signatures` has those of signatures, which take tensors by
    name and return dictionaries. Initializers of its variables give them the values that were
    saved, and tables are filled by `tf.tables_initializer`. Of a SavedModel of TensorFlow 1 there
    are `signatures`, `variables`, and `restore`, which are called in the same way.

    Args:
      export_dir: The folder.
      tags: Which graph, if there are several; a string or several of them.
      options: Is not used.

    Returns:
      The object.

    Raises:
      OSError: There is no SavedModel, or it cannot be read.
      ValueError: There is no graph with these tags.
      DataLossError: The SavedModel is damaged.
    """
    saved_model = parse_saved_model(export_dir)
    wanted = {tags} if isinstance(tags, str) else None if tags is None else set(tags)
    graphs = saved_model.meta_graphs
    if len(graphs) != 1 or not graphs[0].HasField("object_graph_def"):
        return load_version_1(export_dir, wanted)
    (meta_graph,) = graphs
    there = set(meta_graph.meta_info_def.tags)
    if wanted is not None and wanted != there:
        raise ValueError(
            f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {export_dir} has "
            f"one MetaGraph with tags {sorted(there)}. You may omit the argument, pass 'None', or "
            "pass matching tags."
        )
    root = _Loader(folder_path(export_dir), meta_graph).load()
    if not isinstance(root, Restored):
        raise DataLossError(None, None, f"{export_dir}: its root is no object with attributes")
    root.tensorflow_version = meta_graph.meta_info_def.tensorflow_version
    root.tensorflow_git_version = meta_graph.meta_info_def.tensorflow_git_version
    return root


class _Loader:
    """Makes the objects of a SavedModel."""

    def __init__(self, folder: str, meta_graph: MetaGraphDef) -> None:
        self._folder = folder
        self._meta_graph = meta_graph
        self._saved: SavedObjectGraph = meta_graph.object_graph_def
        self._check()
        self._prefix = get_variables_path(folder)
        self._keys = self._checkpoint_keys()
        self._suffix = f"_{uid()}"
        self._library = library(meta_graph.graph_def.library, self._suffix)
        self._functions: dict[str, ConcreteFunction] = {}
        self._captured: set[str] = set()
        self._objects: list[Any] = []
        bare = [each.bare_concrete_function for each in self._saved.nodes]
        self._bare = {each.concrete_function_name: each for each in bare}

    def load(self) -> Any:
        """The root."""
        slots = {s.slot_variable_node_id for n in self._saved.nodes for s in n.slot_variables}
        with scopes.init_scope():
            self._path = constant(self._prefix, dtypes.string, name="saved_model_path")
            self._objects = [self._made(n, each) for n, each in enumerate(self._saved.nodes)]
            for number, node in enumerate(self._saved.nodes):
                if number not in slots:
                    self._connect(self._objects[number], node)
            for name in self._functions:
                self._capture(name)
            self._register_gradients()
            fills: dict[int, Any] = {}
            for number, each in enumerate(self._objects):
                if isinstance(each, RestoredResource) and (fill := self._fill(each)) is not None:
                    fills[number] = fill
            for number, node in enumerate(self._saved.nodes):
                for name, about in node.saveable_objects.items():
                    with scopes.control_dependencies([f for f in [fills.get(number)] if f]):
                        fills[number] = self._restored_contents(number, name, about)
            for fill in fills.values():
                scopes.add_to_collection(GraphKeys.TABLE_INITIALIZERS, fill)
        return self._objects[0]

    def _check(self) -> None:
        """Raises a DataLossError if a node refers to one that is not there, or has an odd name."""
        count = len(self._saved.nodes)
        numbers = [c.node_id for n in self._saved.nodes for c in n.children]
        for node in self._saved.nodes:
            for about in node.saveable_objects.values():
                numbers += [about.save_function, about.restore_function]
        numbers += [b for f in self._saved.concrete_functions.values() for b in f.bound_inputs]
        for node in self._saved.nodes:
            for slot in node.slot_variables:
                numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
        if not count or not all(0 <= number < count for number in numbers):
            raise self._damaged("an object is missing")
        names = {child.local_name for node in self._saved.nodes for child in node.children}
        if odd := sorted(name for name in names - {"__call__"} if name.startswith("__")):
            raise self._damaged(f"an attribute has the name {odd[0]}")

    def _damaged(self, why: str) -> DataLossError:
        return DataLossError(None, None, f"{self._folder}: {why}")

    def _checkpoint_keys(self) -> dict[tuple[int, str], str]:
        """Keys by object and attribute: both graphs of objects are walked at once."""
        if not checkpoint_exists(self._prefix):
            return {}
        objects = saved_objects(new_checkpoint_reader(self._prefix))
        if objects is None:
            raise self._damaged("its checkpoint says nothing of objects")
        found, pending = {0: 0}, [0]
        while pending:
            number = pending.pop()
            ours, theirs = self._saved.nodes[number], objects.nodes[found[number]]
            named = {child.local_name: child.node_id for child in theirs.children}
            pairs = [(c.node_id, named.get(c.local_name)) for c in ours.children]
            slots = {
                (s.original_variable_node_id, s.slot_name): s.slot_variable_node_id
                for s in theirs.slot_variables
            }
            for slot in ours.slot_variables:
                variable = found.get(slot.original_variable_node_id, -1)
                pairs.append((slot.slot_variable_node_id, slots.get((variable, slot.slot_name))))
            for own, other in pairs:
                if other is not None and own not in found and 0 <= other < len(objects.nodes):
                    found[own] = other
                    pending.append(own)
        return {
            (number, attribute.name): attribute.checkpoint_key
            for number, place in found.items()
            for attribute in objects.nodes[place].attributes
        }

    def _made(self, number: int, node: SavedObject) -> Any:
        match node.WhichOneof("kind"):
            case "variable":
                return self._variable(number, node.variable)
            case "function":
                traces = [self._function(name) for name in node.function.concrete_functions]
                return function_of_spec(traces, node.function.function_spec)
            case "bare_concrete_function":
                return self._function(node.bare_concrete_function.concrete_function_name)
            case "constant":
                return self._constant(node.constant.operation)
            case "captured_tensor":
                return self._captured_tensor(node.captured_tensor)
            case "resource":
                return RestoredResource(node.resource.device)
            case "asset":
                return self._asset(node.asset.asset_file_def_index)
            case "user_object":
                return revived(node.user_object.identifier)
            case kind:
                raise self._damaged(f"an object is of the unknown kind {kind!r}")

    def _connect(self, value: Any, node: SavedObject) -> None:
        if isinstance(value, (ConcreteFunction, RestoredFunction)):
            return
        for child in node.children:
            target = self._saved.nodes[child.node_id]
            found = self._objects[child.node_id]
            if target.user_object.identifier == "signature_map":
                found = SignatureMap(
                    {each.local_name: self._objects[each.node_id] for each in target.children}
                )
            attach(value, child.local_name, found)
        for slot in node.slot_variables:
            if isinstance(value, RestoredOptimizer):
                variable = self._objects[slot.original_variable_node_id]
                found = self._objects[slot.slot_variable_node_id]
                value.add_slot(variable, slot.slot_name, found)

    def _variable(self, number: int, proto: Any) -> ResourceVariable:
        key = self._keys.get((number, _VALUE))
        if key is None:
            raise self._damaged(f"there is no value for the variable '{proto.name}'")
        dtype, shape = dtypes.as_dtype(proto.dtype), TensorShape(proto.shape)

        def restored() -> Tensor:
            (value,) = apply_op("RestoreV2", self._path, [key], [""], dtypes=[dtype])
            value.set_shape(shape)
            return value  # type: ignore[no-any-return]

        return ResourceVariable(
            restored,
            trainable=proto.trainable,
            name=proto.name or None,
            dtype=dtype,
            shape=shape,
            synchronization=proto.synchronization,
            aggregation=proto.aggregation,
        )

    def _function(self, name: str) -> ConcreteFunction:
        found = self._functions.get(name)
        if found is None:
            proto = self._saved.concrete_functions.get(name)
            function = self._library.get(name)
            if proto is None or function is None:
                raise self._damaged(f"the function '{name}' is missing")
            found = concrete_function(function, proto, self._bare.get(name))
            self._functions[name] = found
        return found

    def _capture(self, name: str) -> None:
        """Gives a function the tensors that it takes besides."""
        if name in self._captured:
            return
        self._captured.add(name)
        numbers = self._saved.concrete_functions[name].bound_inputs
        self._functions[name]._bind(
            [self._tensor(number) for number in numbers],
            [v for n in numbers if isinstance(v := self._objects[n], ResourceVariable)],
        )

    def _captured_tensor(self, saved: Any) -> CapturedTensor:
        name = saved.concrete_function
        if name in self._saved.concrete_functions:
            return CapturedTensor(self._function(name), saved.name)
        if name not in self._library:
            raise self._damaged(f"the function '{name}' is missing")
        return CapturedTensor(self._library[name], saved.name)

    def _register_gradients(self) -> None:
        saved = self._meta_graph.graph_def.library
        around = functions_around(saved)
        for each in saved.registered_gradients:
            name = each.gradient_func
            proto, function = self._saved.concrete_functions.get(name), self._library.get(name)
            if proto is None or function is None:
                raise self._damaged(f"the function '{name}' is missing")
            outer = around.get(each.registered_op_type)
            besides = [self._beside(number, outer) for number in proto.bound_inputs]
            gradient = SavedGradient(concrete_function(function, proto), besides)
            RegisterGradient(f"{each.registered_op_type}{self._suffix}")(gradient)

    def _beside(self, number: int, outer: Any) -> Any:
        """What a gradient takes of the function around it: a tensor's name, or a constant."""
        found = self._objects[number]
        if isinstance(found, CapturedTensor):
            return found.name
        if isinstance(found, Tensor):
            return constant_value(found)
        if outer is None or outer.signature.name not in self._saved.concrete_functions:
            return None
        bound = list(self._saved.concrete_functions[outer.signature.name].bound_inputs)
        if number not in bound:
            return None
        args = outer.signature.input_arg
        return f"{args[len(args) - len(bound) + bound.index(number)].name}:0"

    def _tensor(self, number: int) -> Any:
        match self._objects[number]:
            case ResourceVariable() as variable:
                return variable.handle
            case Asset() as asset:
                return asset.asset_path
            case Tensor() | CapturedTensor() as tensor:
                return tensor
            case RestoredResource() as resource:
                for creator in self._names_of(number, "_create_resource"):
                    self._capture(creator)
                return self._handle(resource)
            case other:
                raise self._damaged(f"a function takes a {type(other).__name__}")

    def _handle(self, resource: RestoredResource) -> Tensor:
        try:
            return resource.resource_handle
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            raise self._damaged(f"a resource cannot be made: {error}") from None

    def _fill(self, resource: RestoredResource) -> Any:
        try:
            return resource.initializer()
        except (TypeError, ValueError) as error:
            raise self._damaged(f"a resource cannot be initialized: {error}") from None

    def _restored_contents(self, number: int, name: str, about: SaveableObject) -> Any:
        """What gives an object its contents."""
        key = self._keys.get((number, name))
        functions = self._objects[about.save_function], self._objects[about.restore_function]
        resource = self._objects[number]
        if (
            key is None
            or not isinstance(resource, RestoredResource)
            or not all(isinstance(each, ConcreteFunction) for each in functions)
        ):
            raise self._damaged(f"the contents '{name}' of an object cannot be restored")
        resource._contents[name] = functions
        try:
            contents = Contents(functions, resource.resource_handle.op, key)
            specs = contents.specs
            names, slices = [each.name for each in specs], [each.slice_spec for each in specs]
            dtypes_saved = [each.dtype for each in functions[1]._arguments.specs]
            values = apply_op("RestoreV2", self._path, names, slices, dtypes=dtypes_saved)
            return contents.restore(values, None)
        except (TypeError, ValueError) as error:
            raise self._damaged(f"the contents '{name}' cannot be restored: {error}") from None

    def _names_of(self, number: int, child: str) -> list[str]:
        """The names of the functions of an attribute."""
        found = []
        for each in self._saved.nodes[number].children:
            if each.local_name == child:
                node = self._saved.nodes[each.node_id]
                found += list(node.function.concrete_functions)
                found += [node.bare_concrete_function.concrete_function_name] * (
                    node.WhichOneof("kind") == "bare_concrete_function"
                )
        return found

    def _constant(self, operation: str) -> Tensor:
        for node in self._meta_graph.graph_def.node:
            if node.name == operation and "value" in node.attr:
                return constant(make_ndarray(node.attr["value"].tensor))
        raise self._damaged(f"the constant '{operation}' is missing")

    def _asset(self, number: int) -> Asset:
        files = self._meta_graph.asset_file_def
        if not 0 <= number < len(files):
            raise self._damaged(f"its file {number} is missing")
        return Asset(path_of(self._folder, files[number]))

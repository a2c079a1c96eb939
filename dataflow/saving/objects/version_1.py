"""SavedModels of TensorFlow 1 as objects: calls of their signatures copy the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dataflow.functions.func_graph import uid
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.importing.import_graph import import_graph_def
from dataflow.importing.sub_graphs import extract_sub_graph
from dataflow.library.datasets.specs import TensorSpec
from dataflow.ops.basic.constant import constant
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import SignatureDef
from dataflow.saving.objects.restored import SignatureMap
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saveables import by_name
from dataflow.saving.saved_model.assets import assets_of, path_of
from dataflow.saving.saved_model.loader import SavedModelLoader, get_init_op
from dataflow.saving.saved_model.paths import folder_path
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape


class Version1Model:
    """A SavedModel of TensorFlow 1.

    Attributes:
      signatures: Functions by the keys of their signatures.
      variables: The variables.
      graph: The graph that they were loaded into.
      initializer: The operation that the model itself runs when it is loaded, or None.
    """

    def __init__(
        self,
        signatures: SignatureMap,
        variables: list[Any],
        graph: Graph,
        initializer: Any,
        nodes: SavedNodes,
    ) -> None:
        self.signatures = signatures
        self.variables = variables
        self.graph = graph
        self.initializer = initializer
        self._nodes = nodes

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> PrunedFunction:
        """A function of any tensors of the model.

        Args:
          feeds: A structure of tensors of `graph`, or of names as they were saved ("x:0").
          fetches: A structure of tensors, operations, or their names.
          name: What the names of its nodes begin with.
          input_signature: Is not used.

        Returns:
          Takes values for the feeds in order, and returns copies of the fetches.

        Raises:
          KeyError, ValueError: There is no such tensor.
          AssertionError: There is no such operation.
        """
        return PrunedFunction(self._nodes, feeds, fetches, name)


def load_version_1(export_dir: Any, tags: set[str] | None) -> Version1Model:
    """Loads a SavedModel without objects; see `load_v2`.

    Raises:
      ValueError: There are several graphs, and no tags say which.
      RuntimeError: No graph has these tags.
    """
    loader = SavedModelLoader(export_dir)
    graphs = loader.saved_model.meta_graphs
    if tags is None:
        if len(graphs) != 1:
            there = [sorted(each.meta_info_def.tags) for each in graphs]
            raise ValueError(
                "Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if "
                "there is more than one MetaGraph. Got `tags=None`, but there are "
                f"{len(graphs)} MetaGraphs in the SavedModel with tag sets: {there}. Pass a "
                "`tags=` argument to load this SavedModel."
            )
        tags = set(graphs[0].meta_info_def.tags)
    meta_graph = loader.get_meta_graph_def_from_tags(tags)
    scope = f"saved_model_{uid()}"
    with scopes.init_scope():
        graph = scopes.get_default_graph()
        folder = folder_path(export_dir)
        files = {
            asset.tensor_info.name: constant(path_of(folder, asset), dtypes.string)
            for asset in assets_of(meta_graph)
        }
        before = {id(each) for each in _variables()}
        saver, _ = loader.load_graph(graph, tags, import_scope=scope, input_map=files)
        variables = [each for each in _variables() if id(each) not in before]
        if saver is not None:
            _restore(variables, scope, loader.variables_path)
        fill = get_init_op(meta_graph, scope)
        if fill is not None:
            scopes.add_to_collection(GraphKeys.TABLE_INITIALIZERS, fill)
    nodes = SavedNodes(meta_graph.graph_def, graph, scope, files)
    signatures = {
        key: SignatureFunction(key, each, nodes)
        for key, each in meta_graph.signature_def.items()
        if not key.startswith("__")
    }
    return Version1Model(SignatureMap(signatures), variables, graph, fill, nodes)


def _variables() -> list[Any]:
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
    found = {id(v): v for key in keys for v in scopes.get_collection(key)}
    return list(found.values())


def _restore(variables: list[Any], scope: str, prefix: str) -> None:
    """Makes initializers of what gives variables the values that were saved."""
    reader = new_checkpoint_reader(prefix)
    path = constant(prefix, dtypes.string, name=f"{scope}/path")
    for name, variable in by_name(variables).items():
        key = name.removeprefix(f"{scope}/")
        if reader.has_tensor(key):
            (value,) = apply_op("RestoreV2", path, [key], [""], dtypes=[variable.dtype.base_dtype])
            value.set_shape(variable.shape)
            variable._initializer_op = variable.assign(value, read_value=False)


class SavedNodes:
    """The nodes of a SavedModel, which calls copy; state is that of the graph it was loaded into.

    Args:
      graph_def: The nodes as they were saved.
      graph: What they were loaded into.
      scope: And under which name.
      files: The paths of assets, by the names of the tensors that held them.
    """

    def __init__(
        self, graph_def: GraphDef, graph: Graph, scope: str, files: Mapping[str, Tensor]
    ) -> None:
        self._graph_def = graph_def
        self._graph = graph
        self._scope = scope
        self._files = files

    def leading_to(self, outputs: Iterable[str]) -> SavedNodes:
        """Those that tensors or operations need, which are given by name."""
        needed = sorted({name.partition(":")[0] for name in outputs})
        part = extract_sub_graph(self._graph_def, needed)
        return SavedNodes(part, self._graph, self._scope, self._files)

    def named(self, value: Any) -> str:
        """The saved name of a tensor or operation of the loaded graph, or of what has this name."""
        if isinstance(value, str):
            return value
        return str(value.name).removeprefix(f"{self._scope}/")

    def tensor(self, name: str) -> Tensor:
        """The tensor that was loaded under a saved name.

        Raises:
          KeyError, ValueError: There is none.
        """
        found: Tensor = self._graph.get_tensor_by_name(f"{self._scope}/{name}")
        return found

    def copied(self, given: Mapping[str, Tensor], outputs: Iterable[str], name: str) -> list[Any]:
        """Adds the nodes to the default graph.

        Args:
          given: Tensors in place of saved ones, by the names of those.
          outputs: Names of tensors and operations.
          name: What the copies' names begin with.

        Returns:
          The copies of the outputs; what is given stands for itself.
        """
        used = {_whole(text) for node in self._graph_def.node for text in node.input}
        mapped = {**self._state(), **self._files, **given}
        wanted = list(outputs)
        made = import_graph_def(
            self._graph_def,
            input_map={key: tensor for key, tensor in mapped.items() if key in used},
            return_elements=wanted,
            name=name,
        )
        return [given.get(key, copy) for key, copy in zip(wanted, made or [], strict=True)]

    def _state(self) -> dict[str, Tensor]:
        """The variables, tables and queues that were loaded, in place of the copied ones."""
        found = {}
        for node in self._graph_def.node:
            if node.input:
                continue
            for tensor in self._graph.get_operation_by_name(f"{self._scope}/{node.name}").outputs:
                if tensor.dtype == dtypes.resource or tensor.dtype._is_ref_dtype:
                    found[f"{node.name}:{tensor.value_index}"] = tensor
        return found


class SignatureFunction:
    """A signature: each call adds the nodes between its inputs and its outputs."""

    def __init__(self, key: str, signature: SignatureDef, nodes: SavedNodes) -> None:
        """Keeps all that a call needs; see `load_version_1`."""
        self._key = key
        self._inputs = {name: info.name for name, info in signature.inputs.items()}
        self._outputs = {name: info.name for name, info in signature.outputs.items()}
        self._specs = {
            name: TensorSpec(TensorShape(info.tensor_shape), info.dtype, name)
            for name, info in signature.inputs.items()
        }
        self.structured_outputs = {
            name: TensorSpec(TensorShape(info.tensor_shape), info.dtype, name)
            for name, info in signature.outputs.items()
        }
        self._nodes = nodes.leading_to(self._outputs.values())

    @property
    def structured_input_signature(self) -> tuple[Any, Any]:
        """TensorSpecs by name."""
        return (), dict(self._specs)

    def __call__(self, **kwargs: Any) -> dict[str, Tensor]:
        """Adds a call to the default graph.

        Args:
          **kwargs: The inputs by their names in the signature.

        Raises:
          TypeError: An input is missing, or is nobody's.
        """
        if set(kwargs) != set(self._inputs):
            raise TypeError(
                f"The signature '{self._key}' takes {sorted(self._inputs)}, got {sorted(kwargs)}."
            )
        given = {
            self._inputs[name]: convert_to_tensor(value, self._specs[name].dtype)
            for name, value in kwargs.items()
        }
        found = self._nodes.copied(given, self._outputs.values(), self._key)
        return dict(zip(self._outputs, found, strict=True))


class PrunedFunction:
    """What lies between some tensors of a SavedModel; each call adds it to the default graph."""

    def __init__(self, nodes: SavedNodes, feeds: Any, fetches: Any, name: str | None) -> None:
        """Keeps all that a call needs; see `Version1Model.prune`."""
        self._feeds = [nodes.tensor(nodes.named(feed)) for feed in nest.flatten(feeds)]
        self._inputs = [nodes.named(feed) for feed in nest.flatten(feeds)]
        self._fetches = fetches
        self._outputs = [nodes.named(fetch) for fetch in nest.flatten(fetches)]
        self._nodes = nodes.leading_to(self._outputs)
        self._name = name or "pruned"

    @property
    def inputs(self) -> list[Tensor]:
        """The tensors that arguments stand for."""
        return list(self._feeds)

    def __call__(self, *args: Any) -> Any:
        """Adds a call to the default graph.

        Args:
          *args: A value for each of the feeds.

        Returns:
          Tensors, and operations, in the structure of the fetches.

        Raises:
          TypeError: There are fewer or more of them than feeds.
        """
        if len(args) != len(self._feeds):
            raise TypeError(f"{self._name} takes {self._inputs}, got {len(args)} arguments.")
        given = {
            name: convert_to_tensor(value, feed.dtype)
            for name, value, feed in zip(self._inputs, args, self._feeds, strict=True)
        }
        found = self._nodes.copied(given, self._outputs, self._name)
        return nest.pack_sequence_as(self._fetches, found)


def _whole(text: str) -> str:
    """The name of a tensor with its number."""
    return text if ":" in text or text.startswith("^") else f"{text}:0"

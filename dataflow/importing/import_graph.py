"""import_graph_def: adds the nodes of a GraphDef to the default graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.errors import InvalidArgumentError
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.parts import adoption as graph_adoption
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.importing import options
from dataflow.importing.errors import InvalidGraphDefError, invalid
from dataflow.importing.fused_nodes import without_fused_nodes
from dataflow.importing.nodes import Endpoint, NodeMaker
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.schema import node_validation
from dataflow.schema.deprecations import check_available
from dataflow.schema.function_library import MIN_CONSUMER, new_functions
from dataflow.schema.node_validation import CONTROL_SLOT
from dataflow.values import versions
from dataflow.values.garbage import uncollected


@shortened
def import_graph_def(
    graph_def: Any,
    input_map: Mapping[Any, Any] | None = None,
    return_elements: Sequence[Any] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph, all of them or none.

    Args:
      graph_def: The GraphDef, ours or TensorFlow's.
      input_map: Tensors to use in place of those of these names, "a:0"; "^a" replaces a control
        input.
      return_elements: Names of operations, and of tensors "a:0", to return.
      name: Prefix of the new names, made unique; "" for none. By default "import".
      op_dict: Ignored, as in TensorFlow.
      producer_op_list: An OpList; attrs unknown here that have their default there are left out.

    Returns:
      The operations and tensors asked for, or None if `return_elements` is None.

    Raises:
      TypeError: An argument is of a wrong type.
      InvalidGraphDefError: (a ValueError and an InvalidArgumentError) The GraphDef is malformed,
        or lacks a name in `input_map` or `return_elements`; the text names node and reason. An op
        type that is not registered is a NotFoundError too.
      RuntimeError: The graph is finalized.

    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.identity(tf.placeholder(tf.int32, name="x"), name="y")
    >>> (y,) = tf.import_graph_def(graph.as_graph_def(), {"x": tf.constant(7)}, ["y:0"])
    >>> with tf.Session() as session:
    ...     print(session.run(y))
    7
    """
    graph_def = without_fused_nodes(options.as_graph_def(graph_def))
    mapped = options.checked_input_map(input_map)
    wanted = options.checked_return_elements(return_elements)
    if producer_op_list is not None:
        graph_def = options.without_producer_defaults(graph_def, producer_op_list)
    graph = scopes.get_default_graph()
    graph._check_not_finalized()
    with scopes.name_scope(name, "import", mapped.values()) as scope:
        tensors = options.as_tensors(mapped, name)
    _check_input_map(graph, tensors)
    # A scope "x//" leaves the prefix "x/", which needs no second slash.
    prefix = scope[:-1] if scope.endswith("//") else scope
    try:
        return _add(graph, graph_def, prefix, tensors, wanted)
    except InvalidArgumentError as error:
        if isinstance(error, InvalidGraphDefError):
            raise
        raise InvalidGraphDefError(error.node_def, None, error.message) from None


@uncollected
def _add(
    graph: Graph,
    graph_def: GraphDef,
    prefix: str,
    input_map: Mapping[Endpoint, Tensor],
    wanted: Sequence[str] | None,
) -> list[Any] | None:
    node_validation.check_versions(graph_def.versions)
    for node in graph_def.node:
        check_available(node.op, graph_def.versions.producer)
    with graph._lock:
        functions = {name: f.definition for name, f in graph._functions.items()}
        gradients = graph._functions.gradients
        added, added_gradients = new_functions(graph_def.library, functions, gradients)
        maker = NodeMaker(graph, {**functions, **added}, prefix, input_map)
        maker.make(graph_def)
        found = None if wanted is None else [_element(maker, input_map, text) for text in wanted]
        versions.merge(graph._versions, graph_def.versions)
        if added:
            graph._versions.min_consumer = max(graph._versions.min_consumer, MIN_CONSUMER)
        graph._functions.add_definitions(added.values(), added_gradients)
        graph_adoption.adopt(graph, list(maker.made.values()))
    _check_all_found(maker, input_map)
    return found


def _element(
    maker: NodeMaker, input_map: Mapping[Endpoint, Tensor], text: str
) -> Tensor | Operation:
    """The operation or tensor of a name in the GraphDef."""
    if ":" not in text:
        if text not in maker.made:
            raise invalid(None, f"Requested return node '{text}' not found in graph def")
        return maker.made[text]
    endpoint = options.parse_tensor_name(text)
    if endpoint in input_map:
        return input_map[endpoint]
    op = maker.made.get(endpoint[0])
    if op is None:
        raise invalid(None, f"Requested return tensor '{text}' not found in graph def")
    if not 0 <= endpoint[1] < len(op.outputs):
        raise invalid(
            None,
            f"Invalid return output {endpoint[1]} of node '{endpoint[0]}', which has "
            f"{len(op.outputs)} output(s)",
        )
    return op.outputs[endpoint[1]]


def _check_input_map(graph: Graph, input_map: Mapping[Endpoint, Tensor]) -> None:
    for endpoint, tensor in input_map.items():
        if tensor.graph is not graph:
            raise invalid(
                None,
                f"node '{tensor.op.name}' in input_map does not exist in graph (input_map entry: "
                f"{_shown(endpoint)}->{tensor.name})",
            )


def _check_all_found(maker: NodeMaker, input_map: Mapping[Endpoint, Tensor]) -> None:
    """What the map replaces need not be used, but it must be there: else a name is misspelt."""

    def exists(endpoint: Endpoint) -> bool:
        op = maker.made.get(endpoint[0])
        return op is not None and endpoint[1] < len(op.outputs)

    missing = [e for e in sorted(input_map) if e not in maker.used and not exists(e)]
    if missing:
        shown = ", ".join(map(_shown, missing))
        raise invalid(None, f"Attempted to map inputs that were not found in graph_def: [{shown}]")


def _shown(endpoint: Endpoint) -> str:
    name, slot = endpoint
    return f"^{name}" if slot == CONTROL_SLOT else f"{name}:{slot}"

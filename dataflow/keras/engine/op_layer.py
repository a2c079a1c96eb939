"""TensorFlowOpLayer: an operation of the graph as a layer."""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf import json_format

from dataflow.graph.operation import Operation
from dataflow.keras import backend, ops
from dataflow.keras.engine.base_layer import Layer
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values import nest


class TensorFlowOpLayer(Layer):
    """One operation.

    Args:
      node_def: What the operation is, as NodeDef, its bytes, or a dictionary.
      name: Name of the operation; the layer's has `tf_op_layer_` before it.
      constants: Index -> value, for inputs that no layer made.
      trainable: See `Layer`.
      dtype: See `Layer`.
    """

    def __init__(
        self,
        node_def: Any,
        name: str,
        constants: Any = None,
        trainable: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__(trainable, f"tf_op_layer_{name}", dtype)
        if isinstance(node_def, dict):
            node_def = json_format.ParseDict(node_def, NodeDef())
        elif isinstance(node_def, bytes):
            node_def = NodeDef.FromString(node_def)
        self.node_def = node_def
        self.constants = {int(place): value for place, value in (constants or {}).items()}
        self.built = True

    @classmethod
    def of(cls, op: Operation, sources: list[Any]) -> TensorFlowOpLayer:
        """The layer of an operation in the graph; `sources` are the inputs that layers made."""
        known = {id(each) for each in sources}
        constants = {place: each for place, each in enumerate(op.inputs) if id(each) not in known}
        layer = cls(op.node_def, op.name, constants)
        inputs = [each for each in op.inputs if id(each) in known]
        layer._add_inbound_node(inputs, list(op.outputs))
        return layer

    def call(self, inputs: Any) -> Any:
        """The operation once more, on other inputs."""
        given = list(nest.flatten(inputs))
        for place, value in sorted(self.constants.items()):
            given.insert(place, ops.convert_to_tensor(value))
        made = ops.get_default_graph().create_op(
            self.node_def.op,
            given,
            name=self.node_def.name.rpartition("/")[2],
            attrs=dict(self.node_def.attr),
        )
        return made.outputs[0] if len(made.outputs) == 1 else list(made.outputs)

    def get_config(self) -> dict[str, Any]:
        """The operation and its constants."""
        constants = {
            place: np.asarray(backend.get_value(value)).tolist()
            for place, value in self.constants.items()
        }
        return {
            "name": self.node_def.name,
            "trainable": self.trainable,
            "dtype": self.dtype,
            "node_def": json_format.MessageToDict(self.node_def),
            "constants": constants,
        }

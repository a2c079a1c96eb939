"""The variables of a forest: a tree, and what its leaves count, for each of its trees."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.tensor_forest.python.hyperparameters import build_params_proto
from dataflow.contrib.tensor_forest.python.ops import model_ops, stats_ops
from dataflow.graph.scopes import device
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams
from dataflow.variables.scope import get_variable


class TreeVariables:
    """The handles of a tree, and of what its leaves count."""

    def __init__(
        self,
        params: Any,
        tree_num: int,
        training: bool,
        tree_config: Any = "",
        tree_stat: Any = "",
    ) -> None:
        """Adds both to the graph.

        Args:
          params: Hyperparameters; they get their message.
          tree_num: The tree's number.
          training: Whether leaves count.
          tree_config: What the tree begins with: a Model message as bytes.
          tree_stat: What the counts begin with: a FertileStats message as bytes.
        """
        if not isinstance(getattr(params, "params_proto", None), TensorForestParams):
            params.params_proto = build_params_proto(params)
        params.serialized_params_proto = params.params_proto.SerializeToString()
        self.stats: Any = None
        if training:
            name = self.get_tree_name("stats", tree_num)
            self.stats = stats_ops.fertile_stats_variable(params, tree_stat, name)
        name = self.get_tree_name("tree", tree_num)
        self.tree: Any = model_ops.tree_variable(params, tree_config, self.stats, name)

    def get_tree_name(self, name: str, num: int) -> str:
        """The name of what belongs to a tree."""
        return f"{name}-{num}"


class ForestVariables:
    """The variables of each tree, by its number."""

    def __init__(
        self,
        params: Any,
        device_assigner: Any,
        training: bool = True,
        tree_variables_class: Any = TreeVariables,
        tree_configs: Any = None,
        tree_stats: Any = None,
    ) -> None:
        """Adds them to the graph.

        Args:
          params: Hyperparameters.
          device_assigner: A device function; each tree is where it puts a variable.
          training: Whether leaves count.
          tree_variables_class: Makes the variables of a tree.
          tree_configs: What each tree begins with.
          tree_stats: What each tree's counts begin with.
        """
        self.variables: list[Any] = []
        self.device_dummies: list[Any] = []
        with device(device_assigner):
            for number in range(params.num_trees):
                dummy = get_variable(name=f"device_dummy_{number}", shape=0)
                self.device_dummies.append(dummy)
        for number in range(params.num_trees):
            given = {}
            if tree_configs is not None:
                given["tree_config"] = tree_configs[number]
            if tree_stats is not None:
                given["tree_stat"] = tree_stats[number]
            with device(self.device_dummies[number].device):
                self.variables.append(tree_variables_class(params, number, training, **given))

    def __setitem__(self, t: int, val: Any) -> None:
        self.variables[t] = val

    def __getitem__(self, t: int) -> Any:
        return self.variables[t]

"""The graphs of forests: training, inference, and what is known of the trees."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from dataflow.contrib.framework.plain_variables import VariableDeviceChooser
from dataflow.contrib.tensor_forest.python.ops import data_ops
from dataflow.contrib.tensor_forest.python.trees import RandomTreeGraphs
from dataflow.contrib.tensor_forest.python.variables import ForestVariables, TreeVariables
from dataflow.control_flow.cond import cond
from dataflow.graph.scopes import control_dependencies, device
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.regression import log_loss
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.shape import shape as shape_of
from dataflow.ops.array.shape import squeeze
from dataflow.ops.array.slice import strided_slice
from dataflow.ops.array.split import split
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import greater, less
from dataflow.ops.math.division import div
from dataflow.ops.math.unary import negative
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import dtypes, logging


class RandomForestGraphs:
    """The graphs of a forest."""

    def __init__(
        self,
        params: Any,
        tree_configs: Any = None,
        tree_stats: Any = None,
        device_assigner: Any = None,
        variables: Any = None,
        tree_variables_class: Any = TreeVariables,
        tree_graphs: Any = None,
        training: bool = True,
    ) -> None:
        """Adds the forest's variables to the graph.

        Args:
          params: Hyperparameters that were filled.
          tree_configs: What each tree begins with: Model messages as bytes.
          tree_stats: What each tree's counts begin with: FertileStats messages as bytes.
          device_assigner: A device function that says where trees are.
          variables: Variables that are there already.
          tree_variables_class: Makes the variables of a tree.
          tree_graphs: Makes the graphs of a tree.
          training: Whether the forest is to be trained.
        """
        self.params = params
        self.device_assigner = device_assigner or VariableDeviceChooser()
        logging.info("Constructing forest with params = ")
        logging.info(self.params.__dict__)
        self.variables: Any = variables or ForestVariables(
            self.params,
            device_assigner=self.device_assigner,
            training=training,
            tree_variables_class=tree_variables_class,
            tree_configs=tree_configs,
            tree_stats=tree_stats,
        )
        make = tree_graphs or RandomTreeGraphs
        numbers = range(self.params.num_trees)
        self.trees: list[Any] = [make(self.variables[each], params, each) for each in numbers]

    def _bag_features(self, tree_num: int, input_data: Any) -> Tensor:
        columns = split(input_data, self.params.num_features, axis=1)
        return concat([columns[place] for place in self.params.bagged_features[tree_num]], 1)

    def _of_tree(self, tree_num: int, dense: Any, sparse: Any) -> Any:
        """What a tree sees of the dense features."""
        if not self.params.bagged_features:
            return dense
        if sparse is not None:
            raise NotImplementedError("Feature bagging not supported with sparse features.")
        return self._bag_features(tree_num, dense)

    def _on_its_device(self, tree_num: int) -> Any:
        return device(self.variables.device_dummies[tree_num].device)

    def get_all_resource_handles(self) -> list[Any]:
        """The handles of all trees, then those of what they count."""
        variables = [self.variables[number] for number in range(len(self.trees))]
        return [each.tree for each in variables] + [each.stats for each in variables]

    def training_graph(
        self,
        input_data: Any,
        input_labels: Any,
        num_trainers: int = 1,
        trainer_id: int = 0,
        **tree_kwargs: Any,
    ) -> Any:
        """An operation that trains the forest with a batch.

        Args:
          input_data: Features: a matrix, dense or sparse, or several by name.
          input_labels: Labels, or several by name.
          num_trainers: Among how many trainers the trees are divided.
          trainer_id: Which of them this is.
          **tree_kwargs: What the trees' graphs are given: `input_weights`.

        Raises:
          NotImplementedError: Examples or features are bagged, and there are sparse features.
        """
        dense, sparse, spec = data_ops.ParseDataTensorOrDict(input_data)
        labels = data_ops.ParseLabelTensorOrDict(input_labels)
        per_trainer = self.params.num_trees / num_trainers
        mine = range(int(trainer_id * per_trainer), int((trainer_id + 1) * per_trainer))
        grown = []
        for number in mine:
            with self._on_its_device(number):
                seed = self.params.base_random_seed
                if seed != 0:
                    seed += number
                its_data, its_labels = dense, labels
                if self.params.bagging_fraction < 1.0:
                    if sparse is not None:
                        raise NotImplementedError("Bagging not supported with sparse features.")
                    chosen = self._bag(dense, seed)
                    its_data, its_labels = gather(dense, chosen), gather(labels, chosen)
                grown.append(
                    self.trees[number].training_graph(
                        self._of_tree(number, its_data, sparse),
                        its_labels,
                        seed,
                        data_spec=spec,
                        sparse_features=sparse,
                        **tree_kwargs,
                    )
                )
        return group(*grown, name="train")

    def _bag(self, dense: Any, seed: int) -> Tensor:
        """The rows of a batch that a tree sees."""
        batch_size = strided_slice(shape_of(dense), [0], [1])
        drawn = random_uniform(batch_size, seed=seed)
        mask = less(drawn, ones_like(drawn) * self.params.bagging_fraction)
        return squeeze(where_v2(mask), axis=[1])

    def inference_graph(self, input_data: Any, **inference_args: Any) -> tuple[Any, Any, Any]:
        """What the forest predicts.

        Args:
          input_data: Features like those that it was trained with.
          **inference_args: What the trees' graphs are given.

        Returns:
          The means of what trees predict, as rows: chances of classes, or targets; of each example
          and tree the nodes on the way as a TreePath message, if the hyperparameters ask for it;
          and the variance of what trees predict.

        Raises:
          NotImplementedError: Features are bagged, and some are sparse.
        """
        dense, sparse, spec = data_ops.ParseDataTensorOrDict(input_data)
        predicted, paths = [], []
        for number in range(self.params.num_trees):
            with self._on_its_device(number):
                its_data = self._of_tree(number, dense, sparse)
                values, path = self.trees[number].inference_graph(
                    its_data, spec, sparse_features=sparse, **inference_args
                )
                predicted.append(values)
                paths.append(path)
        with self._on_its_device(0):
            together = stack(predicted, axis=1)
            mean = div(reduce_sum(together, 1), self.params.num_trees, name="probabilities")
            tree_paths = stack(paths, axis=1)
            squares = div(reduce_sum(together * together, 1), self.params.num_trees)
            variance = maximum(0.0, squares - mean * mean)
            return mean, tree_paths, variance

    def average_size(self) -> Tensor:
        """How many nodes a tree has on average: a float32 scalar."""
        sizes = []
        for number in range(self.params.num_trees):
            with self._on_its_device(number):
                sizes.append(self.trees[number].size())
        return reduce_mean(cast(stack(sizes), dtypes.float32))

    def training_loss(self, features: Any, labels: Any, name: str = "training_loss") -> Tensor:
        """What falls while the forest is trained: the negative average size."""
        return negative(self.average_size(), name=name)

    def validation_loss(self, features: Any, labels: Any) -> Tensor:
        """The same for validation."""
        return negative(self.average_size())

    def average_impurity(self) -> Tensor:
        """The average impurity of the trees' leaves.

        Raises:
          AttributeError: The trees' graphs do not tell it; `RandomTreeGraphs` do not.
        """
        impurities = []
        for number in range(self.params.num_trees):
            with self._on_its_device(number):
                impurities.append(self.trees[number].average_impurity())
        return reduce_mean(stack(impurities))

    def feature_importances(self) -> Tensor:
        """Which part of all nodes looks at each feature: a vector."""
        numbers = range(self.params.num_trees)
        counts = [self.trees[number].feature_usage_counts() for number in numbers]
        total = reduce_sum(stack(counts, 0), 0)
        importances: Tensor = total / reduce_sum(total)
        return importances


class TrainingLossForest(RandomForestGraphs):
    """A forest whose training loss is that of its predictions, not its size."""

    def __init__(
        self, params: Any, loss_fn: Callable[..., Any] | None = None, **kwargs: Any
    ) -> None:
        """See `RandomForestGraphs`.

        Args:
          params: Hyperparameters that were filled.
          loss_fn: The losses of examples, of predictions and labels; the log loss if None.
          **kwargs: See `RandomForestGraphs`.
        """
        self.loss_fn = loss_fn or _log_loss
        self._loss: Any = None
        super().__init__(params, **kwargs)

    def _get_loss(self, features: Any, labels: Any) -> Any:
        if self._loss is None:

            def average() -> Any:
                losses = self.loss_fn(self.inference_graph(features)[0], labels)
                return reduce_sum(losses) / cast(shape_of(labels)[0], dtypes.float32)

            def nothing_yet() -> Any:
                return constant(sys.maxsize, dtype=dtypes.float32)

            self._loss = cond(greater(self.average_size(), 0), average, nothing_yet)
        return self._loss

    def training_graph(
        self,
        input_data: Any,
        input_labels: Any,
        num_trainers: int = 1,
        trainer_id: int = 0,
        **tree_kwargs: Any,
    ) -> Any:
        """See `RandomForestGraphs`; the loss is that before the batch."""
        loss = self._get_loss(input_data, input_labels)
        with control_dependencies([loss.op]):
            return super().training_graph(
                input_data, input_labels, num_trainers, trainer_id, **tree_kwargs
            )

    def training_loss(self, features: Any, labels: Any, name: str = "training_loss") -> Tensor:
        """The average loss of predictions."""
        loss: Tensor = identity(self._get_loss(features, labels), name=name)
        return loss


def _log_loss(predictions: Any, labels: Any) -> Any:
    return log_loss(labels, predictions)

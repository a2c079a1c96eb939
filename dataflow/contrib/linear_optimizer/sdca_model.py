"""A linear model that stochastic dual coordinate ascent trains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.contrib.linear_optimizer.sharded_mutable_dense_hashtable import (
    ShardedMutableDenseHashTable,
)
from dataflow.contrib.linear_optimizer.weights import Unshrunk, parts_of, whole
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, device, name_scope
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.shape import expand_dims, reshape
from dataflow.ops.array.unique import unique
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.binary import multiply, subtract
from dataflow.ops.math.dual_ascent import sdca_fprint, sdca_shrink_l1
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.unary import abs as absolute
from dataflow.ops.math.unary import exp, square
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.losses import log_poisson_loss, sigmoid_cross_entropy_with_logits
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.segment import segment_sum
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes

_LOSSES: Final = (
    "logistic_loss",
    "squared_loss",
    "hinge_loss",
    "smooth_hinge_loss",
    "poisson_loss",
)
_KINDS: Final = ("sparse_features_weights", "dense_features_weights")


class SdcaModel:
    """A linear model of examples that are known by their ids (Shalev-Shwartz and Zhang, 2012)."""

    _slot_suffix = "_unshrinked/SDCAOptimizer"
    """Ends the names of the weights that are not shrunk, in checkpoints."""

    def __init__(
        self, examples: Mapping[str, Any], variables: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        """Makes slots, the table of the examples' states and two summaries.

        Args:
          examples: `sparse_features`, a list of `SparseFeatureColumn`; `dense_features`, a list of
            float32 matrices of a row for each example; and `example_labels`, `example_weights` and
            `example_ids` (strings), a value for each example.
          variables: `sparse_features_weights` and `dense_features_weights`, a variable, a
            partitioned one or a list of parts for each of these.
          options: `loss_type` ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss"
            or "poisson_loss"), `symmetric_l1_regularization`, `symmetric_l2_regularization`, and
            maybe `num_loss_partitions` (1), `num_table_shards` (1) and `adaptive` (True).

        Raises:
          ValueError: Something is missing, no list, negative or no loss.
        """
        if not examples or not variables or not options:
            raise ValueError("examples, variables and options must all be specified.")
        if options["loss_type"] not in _LOSSES:
            raise ValueError("Unsupported loss_type: ", options["loss_type"])
        features = ["sparse_features", "dense_features"]
        _check(["example_labels", "example_weights", "example_ids", *features], examples)
        _check_lists(features, examples)
        _check(_KINDS, variables)
        _check_lists(_KINDS, variables)
        regularizations = ["symmetric_l1_regularization", "symmetric_l2_regularization"]
        _check(["loss_type", *reversed(regularizations)], options)
        for name in regularizations:
            if options[name] < 0.0:
                raise ValueError(f"{name} should be non-negative. Found ({options[name]:f})")
        self._examples = examples
        self._variables = variables
        self._options = options
        self._slots = {
            kind: [Unshrunk(each, self._slot_suffix) for each in variables[kind]] for kind in _KINDS
        }
        # The fingerprints of ids never begin with 0 or 1.
        self._hashtable = ShardedMutableDenseHashTable(
            dtypes.int64,
            dtypes.float32,
            default_value=[0.0, 0.0, 0.0, 0.0],
            empty_key=[0, 0],
            deleted_key=[1, 1],
            num_shards=options.get("num_table_shards") or 1,
        )
        scalar("approximate_duality_gap", self.approximate_duality_gap())
        scalar("examples_seen", self._hashtable.size())

    def minimize(self, global_step: Any = None, name: str | None = None) -> Operation:
        """A training step; `update_weights` brings what it does into the variables.

        Args:
          global_step: A variable that is counted up after it.
          name: Name scope, and name of the operation that counts.
        """
        with name_scope(name, "sdca/minimize"):
            sparse = self._examples["sparse_features"]
            ids = sdca_fprint(convert_to_tensor(self._examples["example_ids"]))
            state = self._hashtable.lookup(ids)
            seen, weights = [], []
            for column, slot in zip(sparse, self._slots[_KINDS[0]], strict=False):
                numbers = unique(cast(column.feature_indices, dtypes.int32))[0]
                seen.append(cast(numbers, dtypes.int64))
                weights.append(slot.gathered(seen[-1]))
            state, of_sparse, of_dense = apply_op(
                "SdcaOptimizerV2",
                [each.example_indices for each in sparse],
                [each.feature_indices for each in sparse],
                [each.feature_values for each in sparse if each.feature_values is not None],
                [whole(each) for each in self._examples["dense_features"]],
                convert_to_tensor(self._examples["example_weights"]),
                convert_to_tensor(self._examples["example_labels"]),
                seen,
                weights,
                [each.whole() for each in self._slots[_KINDS[1]]],
                state,
                loss_type=self._options["loss_type"],
                l1=self._options["symmetric_l1_regularization"],
                l2=self._l2(),
                num_loss_partitions=self._options.get("num_loss_partitions", 1),
                num_inner_iterations=1,
                adaptive=self._options.get("adaptive", True),
            )
            with control_dependencies([state]):
                updates: list[Any] = [self._hashtable.insert(ids, state)]
                for slot, update in zip(self._slots[_KINDS[0]], of_sparse, strict=False):
                    updates += slot.add_to_gathered(update)
                for slot, update in zip(self._slots[_KINDS[1]], of_dense, strict=False):
                    updates += slot.add(update)
            if global_step is None:
                return group(*updates)
            with control_dependencies(updates):
                counted: Operation = assign_add(global_step, 1, name=name).op
                return counted

    def update_weights(self, train_op: Any) -> Operation:
        """Copies what steps have made of the weights to the variables, and shrinks these.

        Args:
          train_op: What `minimize` gave; it runs before.
        """
        with control_dependencies([train_op]):
            copies = [
                variable.assign(slot)
                for kind in _KINDS
                for each, slots in zip(self._variables[kind], self._slots[kind], strict=True)
                for variable, slot in zip(parts_of(each), slots.parts, strict=True)
            ]
        shrunk = []
        with control_dependencies(copies):
            for each in self._each_variable():
                with device(each.device):
                    l1 = self._options["symmetric_l1_regularization"]
                    shrunk.append(sdca_shrink_l1([each], l1=l1, l2=self._l2()))
            return group(*shrunk)

    def predictions(self, examples: Mapping[str, Any]) -> Any:
        """What the model says: chances for the logistic loss, `exp` for Poisson's.

        Raises:
          ValueError: Something is missing, or no list.
        """
        _check(["example_weights", "sparse_features", "dense_features"], examples)
        _check_lists(["sparse_features", "dense_features"], examples)
        found = self._linear(examples)
        if self._options["loss_type"] == "logistic_loss":
            with name_scope("sdca/logistic_prediction"):
                return sigmoid(found)
        if self._options["loss_type"] == "poisson_loss":
            with name_scope("sdca/poisson_prediction"):
                return exp(found)
        return found

    def approximate_duality_gap(self) -> Any:
        """How far the loss is from the least one at most, by all examples seen."""
        with name_scope("sdca/approximate_duality_gap"):
            sums: list[Any] = []
            for values in self._hashtable.export_sharded()[1]:
                # One after the other: each holds a copy of doubles for a while.
                with device(values.device), control_dependencies(sums):
                    sums.append(reduce_sum(cast(values, dtypes.float64), 0))
            _, primal, dual, weights = (add_n(sums)[number] for number in range(4))
            norms = self._l1_loss() + 2.0 * self._l2_loss(self._l2())
            return (primal + dual + norms) / weights

    def unregularized_loss(self, examples: Mapping[str, Any]) -> Any:
        """The mean loss of examples.

        Raises:
          ValueError: Something is missing, or no list.
        """
        _check_with_labels(examples)
        kind = self._options["loss_type"]
        with name_scope("sdca/unregularized_loss"):
            predictions = cast(self._linear(examples), dtypes.float64)
            labels = cast(convert_to_tensor(examples["example_labels"]), dtypes.float64)
            weights = cast(convert_to_tensor(examples["example_weights"]), dtypes.float64)
            if kind == "logistic_loss":
                found: Any = sigmoid_cross_entropy_with_logits(labels=labels, logits=predictions)
            elif kind == "poisson_loss":
                found = log_poisson_loss(targets=labels, log_input=predictions)
            elif kind == "squared_loss":
                found = square(subtract(labels, predictions))
            else:
                ones: Any = ones_like(predictions)
                found = relu(subtract(ones, multiply(subtract(2 * labels, ones), predictions)))
            summed: Any = reduce_sum(multiply(found, weights))
            total: Any = reduce_sum(weights)
            return summed / (2.0 * total if kind == "squared_loss" else total)

    def regularized_loss(self, examples: Mapping[str, Any]) -> Any:
        """The mean loss of examples, with the weights' norms.

        Raises:
          ValueError: Something is missing, or no list.
        """
        _check_with_labels(examples)
        with name_scope("sdca/regularized_loss"):
            weights = convert_to_tensor(examples["example_weights"])
            # By the L2 regularization as it was told, not by what the solver needs of it.
            norms = self._l1_loss() + self._l2_loss(self._options["symmetric_l2_regularization"])
            total: Any = reduce_sum(cast(weights, dtypes.float64))
            return norms / total + self.unregularized_loss(examples)

    def _l2(self) -> float:
        """The solver needs 1 at least."""
        told: float = self._options["symmetric_l2_regularization"]
        return max(told, 1.0)

    def _each_variable(self) -> list[Any]:
        return [
            part for kind in _KINDS for each in self._variables[kind] for part in parts_of(each)
        ]

    def _l1_loss(self) -> Any:
        with name_scope("sdca/l1_loss"):
            sums = []
            for each in self._each_variable():
                weights = convert_to_tensor(each)
                with device(weights.device):
                    sums.append(reduce_sum(absolute(cast(weights, dtypes.float64))))
            return self._options["symmetric_l1_regularization"] * add_n(sums)

    def _l2_loss(self, l2: float) -> Any:
        with name_scope("sdca/l2_loss"):
            sums = []
            for each in self._each_variable():
                weights = convert_to_tensor(each)
                with device(weights.device):
                    sums.append(reduce_sum(square(cast(weights, dtypes.float64))))
            return l2 * add_n(sums) / 2.0

    def _linear(self, examples: Mapping[str, Any]) -> Any:
        with name_scope("sdca/prediction"):
            of_sparse: Any = 0.0
            weights = [whole(each) for each in self._variables[_KINDS[0]]]
            for column, given in zip(examples["sparse_features"], weights, strict=False):
                terms = gather(given, column.feature_indices)
                if column.feature_values is not None:
                    terms = multiply(terms, column.feature_values)
                of_sparse += segment_sum(terms, column.example_indices)
            of_dense: Any = 0.0
            dense = [whole(each) for each in examples["dense_features"]]
            weights = [whole(each) for each in self._variables[_KINDS[1]]]
            for numbers, given in zip(dense, weights, strict=False):
                of_dense += matmul(numbers, expand_dims(given, -1))
        return reshape(of_dense, [-1]) + of_sparse


def _check(names: Any, given: Mapping[str, Any]) -> None:
    for name in names:
        if given[name] is None:
            raise ValueError(f"{name} must be specified.")


def _check_lists(names: Any, given: Mapping[str, Any]) -> None:
    for name in names:
        if not isinstance(given[name], list):
            raise ValueError(f"{name} must be a list.")


def _check_with_labels(examples: Mapping[str, Any]) -> None:
    _check(["example_labels", "example_weights", "sparse_features", "dense_features"], examples)
    _check_lists(["sparse_features", "dense_features"], examples)

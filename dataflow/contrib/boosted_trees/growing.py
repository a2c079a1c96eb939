"""The training part of a model of trees: statistics of each batch, and at times a layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.boosted_trees import calls, hessians, learner
from dataflow.contrib.boosted_trees.choosing import active_handlers
from dataflow.contrib.boosted_trees.handlers.equality import EqualitySplitHandler
from dataflow.contrib.boosted_trees.handlers.inequality import (
    DenseSplitHandler,
    SparseSplitHandler,
)
from dataflow.contrib.boosted_trees.placing import parameter_devices
from dataflow.contrib.boosted_trees.scheduled_ops import run_handler_scheduled_ops
from dataflow.contrib.boosted_trees.stats_accumulator import StatsAccumulator
from dataflow.contrib.boosted_trees.training_state import GBDTTrainingState
from dataflow.control_flow.cond import cond
from dataflow.differentiation.gradients import gradients as derivatives
from dataflow.graph import scopes
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.fill import zeros, zeros_like
from dataflow.ops.array.select import where
from dataflow.ops.array.split import split
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.reductions.reduce import reduce_all, reduce_sum
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.variables.variable import Variable


@dataclass(frozen=True)
class Growing:
    """What is known of a model and a batch, for what makes the trees grow."""

    config: LearnerConfig
    serialized: bytes
    ensemble_handle: Any
    center_bias: bool
    logits_dimension: int
    shapes: tuple[TensorShape, TensorShape]
    """Of a gradient and of a hessian, as they are accumulated."""
    uses_sum: bool
    num_quantiles: int
    names: list[str]
    features: list[Any]
    """Numbers that all examples have; indices, values and shapes of others, and of categories."""
    num_ps_replicas: int
    max_tree_depth: Any
    counts: tuple[Any, Any]
    """Variables with the numbers of trees that are done, and of those that were tried."""
    stamp: Any
    predictions: Any
    nodes: Any
    layers_attempted: Any
    trees_attempted: Any
    used: tuple[Any, Any]
    """How many handlers splits have used, and which."""

    @property
    def _is_one_of_several(self) -> bool:
        """Whether each tree is of one class."""
        one = self.config.multi_class_strategy == LearnerConfig.TREE_PER_CLASS
        return one and self.logits_dimension != 1

    def class_id(self) -> Any:
        """The class of which the tree is; -1 if it is of all."""
        if self._is_one_of_several:
            return cast(self.trees_attempted % self.logits_dimension, dtypes.int32)
        return constant(-1, dtypes.int32)

    def statistics(
        self, loss: Any, gradients: Any, curvatures: Any
    ) -> tuple[GBDTTrainingState, list[Any]]:
        """The state of the training, and operations that add the batch's statistics."""
        if gradients is None:
            gradients = derivatives(loss, self.predictions, name="Gradients")[0]
        if curvatures is not None and self.logits_dimension != 1:
            raise ValueError("Providing hessians is not yet supported here.")
        slopes, bends, curvatures = self._derivatives(gradients, curvatures)
        weights = hessians.example_weights(bends, self.shapes[1])
        device = self._worker_device
        with scopes.device(parameter_devices(device, self.num_ps_replicas)):
            state = self._state()
        for name, variable in (
            ("layer_stats/num_examples", state.num_layer_examples),
            ("layer_stats/num_steps", state.num_layer_steps),
            ("ensemble_stats/active_tree", state.active_tree),
            ("ensemble_stats/active_layer", state.active_layer),
        ):
            scalar(name, variable)
        updates = [
            cond(
                state.continue_centering,
                lambda: self._bias_update(state, gradients, curvatures),
                no_op,
            )
        ]
        handlers = state.handlers
        reads = {handler: handler.scheduled_reads() for handler in handlers}
        read = run_handler_scheduled_ops(reads, self.stamp, device)
        active = active_handlers(
            self.config, len(handlers), self.layers_attempted, self.trees_attempted, self.used
        )
        nothing = [zeros([0, *shape.as_list()]) for shape in self.shapes]
        planned = {}
        for handler, is_active in zip(handlers, active, strict=True):
            update, planned[handler] = handler.update_stats(
                self.stamp, self.nodes, slopes, bends, *nothing, weights, is_active, read[handler]
            )
            updates.append(update)
        for made in run_handler_scheduled_ops(planned, self.stamp, device).values():
            updates += made
        return state, updates

    @property
    def _worker_device(self) -> str:
        dense, sparse_indices, _, _, category_indices, _, _ = self.features
        device: str = [*dense, *sparse_indices, *category_indices][0].device
        return device

    def _derivatives(self, gradients: Any, curvatures: Any) -> tuple[Any, Any, Any]:
        """Gradients and hessians as they are accumulated, and hessians by all logits."""
        if self.config.multi_class_strategy != LearnerConfig.TREE_PER_CLASS:
            is_full = self.config.multi_class_strategy == LearnerConfig.FULL_HESSIAN
            make = hessians.full if is_full else hessians.diagonal
            curvatures = make(gradients, self.predictions, self.logits_dimension)
            return gradients, curvatures, curvatures
        if self._is_one_of_several:
            class_id = self.class_id()
            curvatures = hessians.diagonal(gradients, self.predictions, self.logits_dimension)
            of_class = (hessians.of_class(each, class_id) for each in (gradients, curvatures))
            return *of_class, curvatures
        if curvatures is None:
            curvatures = derivatives(gradients, self.predictions, name="Hessian")[0]
        alone = (array_shape.squeeze(each, axis=[1]) for each in (gradients, curvatures))
        return *alone, curvatures

    def _state(self) -> GBDTTrainingState:
        handlers = self._handlers()
        counts = [
            Variable(initial_value=zeros([], dtypes.int64), name=name, trainable=False)
            for name in (
                "num_layer_examples",
                "num_layer_steps",
                "num_layers",
                "active_tree",
                "active_layer",
            )
        ]
        centering = Variable(
            initial_value=self.center_bias, name="continue_centering", trainable=False
        )
        number = TensorShape([])
        bias = StatsAccumulator(0, *self.shapes, name="BiasAccumulator")
        steps = StatsAccumulator(0, number, number, name="StepsAccumulator")
        return GBDTTrainingState._make([*counts, centering, bias, steps, handlers])

    def _handlers(self) -> list[Any]:
        limits = self.config.regularization
        common: dict[str, Any] = {
            "l1_regularization": constant(limits.l1, dtypes.float32),
            "l2_regularization": constant(limits.l2, dtypes.float32),
            "tree_complexity_regularization": constant(limits.tree_complexity, dtypes.float32),
            "min_node_weight": constant(self.config.constraints.min_node_weight, dtypes.float32),
            "gradient_shape": self.shapes[0],
            "hessian_shape": self.shapes[1],
            "multiclass_strategy": constant(self.config.multi_class_strategy),
            "init_stamp_token": constant(0, dtypes.int64),
            "loss_uses_sum_reduction": constant(self.uses_sum),
        }
        kind: dict[str, Any] = {"weak_learner_type": constant(self.config.weak_learner_type)}
        count = self.num_quantiles
        quantiles: dict[str, Any] = {"epsilon": 1.0 / count, "num_quantiles": count}
        dense, *sparse = self.features
        numbers = list(zip(*sparse[:3], strict=True))
        categories = list(zip(*sparse[3:], strict=True))

        def of_place(place: int) -> dict[str, Any]:
            return {**common, "feature_column_group_id": constant(place)}

        handlers: list[Any] = [
            DenseSplitHandler(
                dense_float_column=column,
                name=self.names[place],
                **of_place(place),
                **kind,
                **quantiles,
            )
            for place, column in enumerate(dense)
        ]
        at = len(dense)
        handlers += [
            SparseSplitHandler(
                sparse_float_column=SparseTensor(*parts),
                name=self.names[at + place],
                **of_place(place),
                **quantiles,
            )
            for place, parts in enumerate(numbers)
        ]
        at += len(numbers)
        handlers += [
            EqualitySplitHandler(
                sparse_int_column=SparseTensor(*parts),
                name=self.names[at + place],
                **of_place(place),
                **kind,
            )
            for place, parts in enumerate(categories)
        ]
        return handlers

    def _bias_update(self, state: GBDTTrainingState, gradients: Any, curvatures: Any) -> Any:
        """Adds what the bias is moved by."""
        total = reduce_sum(gradients, 0)
        if curvatures is None:
            curvatures = derivatives(total, self.predictions, name="Hessians")[0]
        count = self.logits_dimension
        return group(
            state.bias_stats_accumulator.add(
                self.stamp,
                number_range(count),
                zeros([count, 2], dtypes.int64),
                total,
                reduce_sum(curvatures, 0),
            ),
            name="update_bias_stats",
        )

    def reset(self, state: GBDTTrainingState) -> Any:
        """An operation that begins anew, without trees and statistics."""
        stamp, _ = calls.tree_ensemble_serialize(self.ensemble_handle)
        following = stamp + 1
        flushed = [handler.reset(stamp, following) for handler in state.handlers]
        if self.center_bias:
            flushed.append(state.bias_stats_accumulator.flush(stamp, following))
        flushed.append(state.steps_accumulator.flush(stamp, following))
        flat = [each for part in flushed for each in (part if isinstance(part, tuple) else (part,))]
        return group(
            *flat,
            *(variable.assign(0).op for variable in self.counts),
            calls.tree_ensemble_deserialize(
                self.ensemble_handle, following, tree_ensemble_config="", name="reset_gbdt"
            ),
        )

    def counted(self, state: GBDTTrainingState, examples_per_layer: Any, is_chief: bool) -> Any:
        """An operation that counts the batch, and adds a layer if enough examples have come."""
        size = cast(array_shape.shape(self.predictions)[0], dtypes.float32)
        added = state.steps_accumulator.add(self.stamp, [0], [[0, 0]], [size], [1.0])
        made = [added]
        class_id = self.class_id()
        with scopes.control_dependencies([added]):
            if is_chief:
                *_, examples, steps = state.steps_accumulator.saveable.serialize()
                examples, steps = (cast(each[0], dtypes.int64) for each in (examples, steps))
                made += [
                    state.num_layer_examples.assign(examples),
                    state.num_layer_steps.assign(steps),
                ]
                if callable(examples_per_layer):
                    examples_per_layer = examples_per_layer(state.active_layer)
                is_enough = examples >= cast(examples_per_layer, dtypes.int64)
                made.append(cond(is_enough, self.layer_function(state, class_id), no_op))
        return group(*made)

    def layer_function(self, state: GBDTTrainingState, class_id: Any) -> Callable[[], Any]:
        """A function that makes the operation which adds a layer."""
        rate = learner.learning_rate(self.config)

        def update() -> Any:
            following = self.stamp + 1
            *_, slopes, bends = state.bias_stats_accumulator.flush(self.stamp, following)
            offers = [
                handler.make_splits(self.stamp, following, class_id) for handler in state.handlers
            ]
            ready, nodes, gains, splits = (list(column) for column in zip(*offers, strict=True))
            are_ready = reduce_all(stack(ready, axis=0, name="stack_handler_readiness"))

            def grown() -> Any:
                return self._grown(following, rate, are_ready, nodes, gains, splits)

            def centered() -> Any:
                moved = where(bends > 0, -slopes / bends, zeros_like(slopes))
                goes_on = calls.center_tree_ensemble_bias(
                    self.ensemble_handle,
                    self.stamp,
                    following,
                    moved,
                    learner_config=self.serialized,
                )
                return state.continue_centering.assign(goes_on)

            if self.center_bias:
                layer = cond(state.continue_centering, lambda: group(centered()), grown)
            else:
                layer = grown()
            with scopes.control_dependencies([layer]):
                stats = calls.tree_ensemble_stats(self.ensemble_handle, following)
                told = [
                    self.counts[0].assign(stats.num_trees),
                    self.counts[1].assign(stats.attempted_trees),
                    state.num_layers.assign(stats.num_layers),
                    state.active_tree.assign(stats.active_tree),
                    state.active_layer.assign(stats.active_layer),
                ]
            flushed = state.steps_accumulator.flush(self.stamp, following)
            return group(are_ready, layer, *told, *flushed, name="update_ensemble")

        return update

    def _grown(
        self,
        following: Any,
        rate: float,
        are_ready: Any,
        nodes: list[Any],
        gains: list[Any],
        splits: list[Any],
    ) -> Any:
        """Adds a layer, or only the next stamp where not all features have splits yet."""
        # One tensor of each kind goes into the branch, however many features there are.
        sizes = stack([array_shape.size(each) for each in nodes])
        offers = stack([array_shape.size(each) for each in gains])
        joined = [concat(each, axis=0) for each in (nodes, gains, splits)]

        def grow(parts: list[list[Any]], factor: float) -> Any:
            return calls.grow_tree_ensemble(
                self.ensemble_handle,
                self.stamp,
                following,
                factor,
                self.trees_attempted,
                self.max_tree_depth,
                self.config.weak_learner_type,
                *parts,
                learner_config=self.serialized,
                center_bias=self.center_bias,
            )

        def with_splits() -> Any:
            counts = (unstack(each, num=len(nodes)) for each in (sizes, offers, offers))
            return grow(
                [
                    list(split(each, list(count), axis=0))
                    for each, count in zip(joined, counts, strict=True)
                ],
                rate,
            )

        return cond(are_ready, with_splits, lambda: grow([[], [], []], 0.0))

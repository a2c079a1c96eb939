"""When and how masks are renewed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from dataflow.contrib.model_pruning.blocks import expand_tensor, pooled
from dataflow.contrib.model_pruning.masks import get_masks, get_thresholds, get_weights
from dataflow.contrib.training.hparams import HParams
from dataflow.control_flow.cond import cond
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.library.sparsity import zero_fraction
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.gather import gather
from dataflow.ops.array.shape import reshape, shape, size, squeeze
from dataflow.ops.array.split import split
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.binary import add, maximum, minimum, multiply
from dataflow.ops.math.compare import (
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_or,
)
from dataflow.ops.math.power import pow as power
from dataflow.ops.math.rounding import round as rounded
from dataflow.ops.math.unary import abs as absolute
from dataflow.ops.nn.topk import top_k
from dataflow.ops.state.reference import assign
from dataflow.training.global_step import get_global_step
from dataflow.values import dtypes, logging
from dataflow.variables.initializers import Zeros
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.scope import get_variable, variable_scope


def get_pruning_hparams() -> Any:
    """Hyperparameters with their defaults.

    * `name`: name scope of operations.
    * `begin_pruning_step`, `end_pruning_step`: when masks change; to the end of training if -1.
    * `weight_sparsity_map`, `block_dims_map`: lists of "pattern:share" and "pattern:HxW" for
      weights whose names match.
    * `threshold_decay`: which share of the former threshold stays.
    * `pruning_frequency`: after how many steps masks change.
    * `nbins`: not used.
    * `block_height`, `block_width`: sizes of blocks of matrices that are masked together.
    * `block_pooling_function`: "AVG" or "MAX", what a block counts for.
    * `initial_sparsity`, `target_sparsity`: the share of zeros, first and last,
    * `sparsity_function_begin_step`, `sparsity_function_end_step`: and when it is which;
    * `sparsity_function_exponent`: between both it grows by a power.
    * `use_tpu`: whether variables are resources.
    """
    return HParams(
        name="model_pruning",
        begin_pruning_step=0,
        end_pruning_step=-1,
        weight_sparsity_map=[""],
        block_dims_map=[""],
        threshold_decay=0.0,
        pruning_frequency=10,
        nbins=256,
        block_height=1,
        block_width=1,
        block_pooling_function="AVG",
        initial_sparsity=0.0,
        target_sparsity=0.5,
        sparsity_function_begin_step=0,
        sparsity_function_end_step=100,
        sparsity_function_exponent=3.0,
        use_tpu=False,
    )


class Pruning:
    """Renews the masks of a graph."""

    def __init__(self, spec: Any = None, global_step: Any = None, sparsity: Any = None) -> None:
        """Adds what counts steps.

        Args:
          spec: Hyperparameters; see `get_pruning_hparams`.
          global_step: Counts steps; the graph's own if None.
          sparsity: The share of zeros that masks are to have, a tensor; as `spec` says if None.

        Raises:
          ValueError: Hyperparameters contradict each other.
        """
        self._spec: Any = spec if spec else get_pruning_hparams()
        _check(self._spec)
        step = get_global_step() if global_step is None else global_step
        self._global_step = cast(step, dtypes.int32)
        self._sparsity = self._growing() if sparsity is None else sparsity
        self._assign_ops: list[Any] = []
        with variable_scope(self._spec.name, use_resource=self._spec.use_tpu, reuse=AUTO_REUSE):
            self._last_update_step = get_variable(
                "last_mask_update_step",
                [],
                initializer=Zeros(),
                trainable=False,
                dtype=dtypes.int32,
            )
        self._blocks = {
            pattern: _block(pattern, value)
            for pattern, value in _by_pattern(self._spec.block_dims_map).items()
        }
        self._shares = {
            pattern: float(value)
            for pattern, value in _by_pattern(self._spec.weight_sparsity_map).items()
        }
        if any(share >= 1.0 for share in self._shares.values()):
            raise ValueError("Weight sparsity can not exceed 1.0")

    def mask_update_op(self) -> Any:
        """An operation that renews all masks."""
        with name_scope(self._spec.name):
            if not self._assign_ops:
                self._assign_ops = self._renewals()
            counted = assign(
                self._last_update_step, self._global_step, name="last_mask_update_step_assign"
            )
            with control_dependencies([counted]), control_dependencies(self._assign_ops):
                logging.info("Updating masks.")
                return no_op("mask_update")

    def conditional_mask_update_op(self) -> Any:
        """An operation that renews all masks if it is time."""
        spec, step = self._spec, self._global_step
        with name_scope(spec.name):
            before_end = logical_or(
                less_equal(step, spec.end_pruning_step), less(spec.end_pruning_step, 0)
            )
            in_range = logical_and(greater_equal(step, spec.begin_pruning_step), before_end)
            waited = less_equal(add(self._last_update_step, spec.pruning_frequency), step)
            is_time = logical_and(in_range, waited)
        return cond(is_time, self.mask_update_op, no_op)

    def add_pruning_summaries(self) -> None:
        """Adds summaries of the share of zeros and of thresholds."""
        with name_scope(f"{self._spec.name}_summaries"):
            scalar("sparsity", self._sparsity)
            scalar("last_mask_update_step", self._last_update_step)
            for mask, threshold in zip(get_masks(), get_thresholds(), strict=True):
                scalar(f"{mask.op.name}/sparsity", zero_fraction(mask))
                scalar(f"{threshold.op.name}/threshold", threshold)

    def print_hparams(self) -> None:
        """Logs the hyperparameters."""
        logging.info(self._spec.to_json())

    def _growing(self) -> Any:
        """The share of zeros at this step."""
        spec = self._spec
        begin, end = spec.sparsity_function_begin_step, spec.sparsity_function_end_step
        with name_scope(spec.name):
            since = cast(self._global_step - begin, dtypes.float32) / float(end - begin)
            left = power(1 - minimum(1.0, maximum(0.0, since)), spec.sparsity_function_exponent)
            first, last = spec.initial_sparsity, spec.target_sparsity
            return add(multiply(first - last, left), last, name="sparsity")

    def _renewals(self) -> list[Any]:
        masks, thresholds = get_masks(), get_thresholds()
        if len(masks) != len(thresholds):
            raise ValueError(
                f"Number of masks {len(masks)} and number of thresholds {len(thresholds)} mismatch"
            )
        found = []
        for mask, threshold, weights in zip(masks, thresholds, get_weights(), strict=True):
            if isinstance(weights, PartitionedVariable):
                weights = weights.as_tensor()
            new_threshold, new_mask = self._renewed(weights, threshold)
            found.append(_assigned(threshold, new_threshold))
            found.append(_assigned(mask, new_mask))
        return found

    def _renewed(self, weights: Any, threshold: Any) -> tuple[Any, Any]:
        """The new threshold and the new mask, by blocks if the weights are a matrix."""
        name = weights.op.name
        own = _matching(self._blocks, name, "block_dims_map")
        block = [self._spec.block_height, self._spec.block_width] if own is None else list(own)
        matrix = squeeze(weights)
        if matrix.shape.ndims != 2 or block == [1, 1]:
            return self._masked(weights, threshold, name)
        sizes = matrix.shape.as_list()
        block = [whole if part == -1 else part for part, whole in zip(block, sizes, strict=True)]
        kind = self._spec.block_pooling_function
        if kind not in ("AVG", "MAX"):
            raise ValueError(f"Unknown pooling function for block sparsity: {kind}")
        with name_scope(f"{name}_pruning_ops"):
            by_block = pooled(absolute(matrix), block, kind, self._spec.use_tpu, f"{name}_pooled")
            new_threshold, mask = self._masked(by_block, threshold, by_block.op.name)
            whole = expand_tensor(mask, block)[: sizes[0], : sizes[1]]
        return new_threshold, reshape(whole, shape(weights))

    def _masked(self, weights: Any, threshold: Any, name: str) -> tuple[Any, Any]:
        sparsity = self._sparsity
        own = _matching(self._shares, name, "weight_sparsity_map")
        if own is not None:
            sparsity = multiply(sparsity, own / self._spec.target_sparsity)
        with name_scope(f"{name}_pruning_ops"):
            sizes = absolute(weights)
            count = size(sizes)
            kept = cast(rounded(cast(count, dtypes.float32) * (1 - sparsity)), dtypes.int32)
            ordered, _ = top_k(reshape(sizes, [-1]), k=count)
            decay = self._spec.threshold_decay
            smoothed = gather(ordered, kept - 1) * (1 - decay) + threshold * decay
            return smoothed, cast(greater_equal(sizes, smoothed), dtypes.float32)


def _check(spec: Any) -> None:
    begin, end = spec.begin_pruning_step, spec.end_pruning_step
    if begin < 0:
        raise ValueError("Illegal value for begin_pruning_step")
    if begin >= end and end != -1:
        raise ValueError(
            f"Pruning must begin before it can end. begin_step={begin}, end_step={end}.Set "
            "end_pruning_step to -1 if pruning is required till trainingstops"
        )
    if spec.sparsity_function_begin_step < 0:
        raise ValueError("Illegal value for sparsity_function_begin_step")
    if spec.sparsity_function_begin_step >= spec.sparsity_function_end_step:
        raise ValueError("Sparsity function requires begin_step < end_step")
    for name in ("threshold_decay", "initial_sparsity", "target_sparsity"):
        if not 0.0 <= getattr(spec, name) < 1.0:
            raise ValueError(f"{name} must be in range [0,1)")


def _by_pattern(values: list[str]) -> dict[re.Pattern[str], str]:
    pairs = [value.split(":") for value in values if value]
    return {re.compile(pattern): value for pattern, value in pairs}


def _block(pattern: re.Pattern[str], value: str) -> tuple[int, int]:
    sizes = value.split("x")
    if len(sizes) != 2:
        raise ValueError(f"Expected 2 values for block dim for {pattern.pattern}, got {sizes}")
    return int(sizes[0]), int(sizes[1])


def _matching(values: Mapping[re.Pattern[str], Any], name: str, what: str) -> Any:
    found = [value for pattern, value in values.items() if pattern.search(name)]
    if len(found) > 1:
        raise ValueError(f"Multiple matches in {what} for weight {name}")
    return found[0] if found else None


def _assigned(variable: Any, value: Any) -> Any:
    if not isinstance(variable, PartitionedVariable):
        return assign(variable, value, name=f"{variable.op.name}_assign")
    parts = list(variable)
    shapes = np.array([part.shape.as_list() for part in parts])
    differs = (shapes != np.array(variable.shape.as_list())).any(0)
    axis = int(differs.argmax())
    values = split(value, [int(each) for each in shapes[:, axis]], axis=axis)
    steps = [
        assign(part, each, name=f"{part.op.name}_assign")
        for part, each in zip(parts, values, strict=True)
    ]
    return group(*steps, name=f"{variable.name}_group_assign")

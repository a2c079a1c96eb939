"""Kernels of stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.tensor_text import summarize_ends
from dataflow.kernels.hashes.city import farmhash_128
from dataflow.kernels.optimizers.dual_losses import LOSSES, Coordinate, Loss

_SHOWN: Final = 3
"""Of the indices that do not fit."""


@dataclass(frozen=True)
class _Group:
    """The features and weights of one group, for all examples.

    Attributes:
        rows: For each example the places of its features' weights, and their values.
        weights: The weights.
        shrunk: What the L1 norm leaves of them.
        deltas: What is added to them.
    """

    rows: Sequence[tuple[Any, Any]]
    weights: Any
    shrunk: Any
    deltas: Any


def _shrunk(weights: Any, by: Any) -> Any:
    return np.sign(weights) * np.maximum(np.abs(weights) - by, 0)


@kernel("SdcaOptimizer", "SdcaOptimizerV2", device="CPU")
def sdca_optimizer(node: KernelNode, xp: Any) -> Callable[..., Any]:
    loss = LOSSES[node.attr("loss_type")]
    adaptive = node.attr("adaptative" if node.op == "SdcaOptimizer" else "adaptive")
    sparse, dense = node.attr("num_sparse_features"), node.attr("num_dense_features")
    with_values = node.attr("num_sparse_features_with_values")
    partitions = node.attr("num_loss_partitions")
    l1, l2 = np.float32(node.attr("l1")), np.float32(node.attr("l2"))
    if sparse + dense == 0:
        raise invalid("Requires at least one feature to train.")
    counts = (sparse, sparse, with_values, dense, 1, 1, sparse, sparse, dense, 1)
    ends = np.cumsum(counts).tolist()

    def run(*inputs: Any) -> Any:
        parts = [inputs[end - count : end] for end, count in zip(ends, counts, strict=True)]
        weights, labels, states = parts[4][0].reshape(-1), parts[5][0].reshape(-1), parts[9][0]
        number = len(weights)
        if len(labels) != number:
            raise invalid(f"Expected {number} example labels but got {len(labels)}")
        if states.ndim != 2:
            raise invalid(f"example_state_data must be rank 2 but is rank {states.ndim}")
        if np.shape(states) != (number, 4):
            raise invalid(
                f"Expected shape [{number},4] for example_state_data, got "
                f"{shape_text(np.shape(states))}"
            )
        with np.errstate(all="ignore"):
            by = np.float64(l1) / np.float64(l2)
            groups = [
                _sparse_group(number, *each, by)
                for each in zip(
                    parts[0],
                    parts[1],
                    (*parts[2], *[None] * (sparse - with_values)),
                    parts[6],
                    parts[7],
                    strict=False,
                )
            ]
            groups += [
                _dense_group(at, number, *each, by)
                for at, each in enumerate(zip(parts[3], parts[8], strict=True))
            ]
            batch = _Batch(
                groups, weights, labels, np.array(states), loss, partitions, by, float(l2)
            )
            for index in batch.by_need() if adaptive else batch.shuffled():
                batch.update(int(index))
        shapes = [np.shape(each) for each in (*parts[7], *parts[8])]
        deltas = [group.deltas.reshape(s) for group, s in zip(groups, shapes, strict=True)]
        return (batch.states, *deltas)

    return run


def _sparse_group(
    number: int, examples: Any, features: Any, values: Any, known: Any, weights: Any, by: Any
) -> _Group:
    examples, features = examples.reshape(-1), features.reshape(-1)
    weights, known = weights.reshape(-1), known.reshape(-1)
    if len(examples) != len(features):
        raise invalid(
            "Found mismatched example_indices and feature_indices "
            f"{summarize_ends(examples, _SHOWN)} vs {summarize_ends(features, _SHOWN)}"
        )
    if values is not None and np.size(values) != len(features):
        raise invalid(
            f"Found {np.size(values)} values of sparse features, of which there are {len(features)}"
        )
    places = {feature: place for place, feature in enumerate(known.tolist()[: len(weights)])}
    values = np.ones(len(features)) if values is None else values.reshape(-1).astype(np.float64)
    rows, end = [], 0
    for example in range(number):
        start = end
        while end < len(examples) and examples[end] == example:
            end += 1
        own = features[start:end].tolist()
        for feature in own:
            if feature not in places:
                raise invalid(f"Found sparse feature indices out of valid range: {feature}")
        if len({*own}) != len(own):
            raise invalid("Duplicate index in sparse vector.")
        rows.append((np.array([places[each] for each in own], np.intp), values[start:end]))
    return _Group(rows, weights, _shrunk(weights.astype(np.float64), by), np.zeros_like(weights))


def _dense_group(at: int, number: int, features: Any, weights: Any, by: Any) -> _Group:
    weights = weights.reshape(-1)
    if features.ndim != 2:
        raise invalid(f"Dense features at index {at} must be rank 2 but is rank {features.ndim}")
    rows, columns = features.shape
    if rows < number:
        raise invalid(f"Dense features at index {at} are of {rows} examples, not of {number}")
    if not 0 < columns <= len(weights):
        raise invalid(f"More dense features than we have parameters for: {columns}")
    whole = slice(0, columns)
    values = [(whole, features[example].astype(np.float64)) for example in range(number)]
    return _Group(values, weights, _shrunk(weights.astype(np.float64), by), np.zeros_like(weights))


@dataclass
class _Batch:
    """The examples, and what has become of them."""

    groups: list[_Group]
    weights: Any
    labels: Any
    states: Any
    loss: Loss
    partitions: int
    shrinkage: Any
    l2: float

    def _prediction(self, index: int) -> float:
        total = 0.0
        for group in self.groups:
            places, values = group.rows[index]
            now = group.weights[places] + group.deltas[places] * np.float32(self.partitions)
            total += float(values @ _shrunk(now.astype(np.float64), self.shrinkage))
        return total

    def _squared_norm(self, index: int) -> float:
        return sum(float(group.rows[index][1] @ group.rows[index][1]) for group in self.groups)

    def shuffled(self) -> Any:
        """The examples, in random order."""
        return np.random.default_rng().permutation(len(self.weights))

    def by_need(self) -> list[int]:
        """Examples by how far their duals are off; one that was taken is taken less again.

        Csiba, Qu and Richtarik, "Stochastic dual coordinate ascent with adaptive probabilities"
        (2015).
        """
        number = len(self.weights)
        need = np.zeros(number)
        for index in range(number):
            label = self.loss.label(float(self.labels[index]))
            off = float(self.states[index, 0]) + self.loss.slope(self._prediction(index), label)
            size = self._squared_norm(index) + self.l2 * self.loss.smoothness
            need[index] = self.weights[index] * np.sqrt(size) * abs(off)
        random = np.random.default_rng()
        total = need.sum()
        if not (total > 0 and np.isfinite(total)):
            return list(self.shuffled())
        taken: list[int] = []
        times = np.zeros(number, int)
        tries = random.choice(number, 2 * number, p=np.maximum(need, 0) / np.maximum(need, 0).sum())
        for index, chance in zip(tries.tolist(), random.random(2 * number).tolist(), strict=True):
            if len(taken) < number and chance <= 0.1 ** times[index]:
                times[index] += 1
                taken.append(index)
        rest = sorted(np.flatnonzero(times == 0).tolist(), key=lambda each: -need[each])
        return taken + rest[: number - len(taken)]

    def update(self, index: int) -> None:
        """Makes an example's dual the best one, and the weights follow."""
        weight, state = float(self.weights[index]), self.states[index]
        label, dual = self.loss.label(float(self.labels[index])), float(state[0])
        pull = self.partitions * weight * np.float64(self._squared_norm(index)) / self.l2
        best = self.loss.best(Coordinate(label, dual, self._prediction(index), float(pull)))
        step = (best - dual) * weight / np.float64(self.l2)
        before = 0.0
        for group in self.groups:
            places, values = group.rows[index]
            before += float(values @ group.shrunk[places])
            group.deltas[places] += (values * step).astype(np.float32)
        primal, conjugate = self.loss.primal(before, label), self.loss.dual(dual, label)
        state[:] = best, primal * weight, conjugate * weight, weight


@kernel("SdcaShrinkL1", device="CPU")
def sdca_shrink_l1(node: KernelNode, xp: Any) -> Callable[..., Any]:
    with np.errstate(all="ignore"):
        by = np.float32(node.attr("l1")) / np.float32(node.attr("l2"))

    def run(*cells: Any) -> None:
        for cell in cells:
            cell.update(lambda old, owned: _shrunk(old, by))

    return run


@kernel("SdcaFprint", device="CPU")
def sdca_fprint(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(strings: Any) -> Any:
        if np.ndim(strings) != 1:
            raise invalid(f"Input must be a vector, got shape {shape_text(np.shape(strings))}")
        return farmhash_128(strings.tolist())

    return run

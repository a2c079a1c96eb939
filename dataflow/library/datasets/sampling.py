"""Datasets of elements that are chosen from others at random, or by numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.graph import constant_value as constants
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets import structures
from dataflow.library.datasets.nodes import dataset_node
from dataflow.library.datasets.specs import TensorSpec
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import stack
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import expand_dims, squeeze
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.compare import less
from dataflow.ops.math.unary import log
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_max, reduce_min, reduce_sum
from dataflow.values import dtypes


def directed(plain: Any, selector: Any, datasets: Sequence[Any], stops: bool) -> Any:
    """Elements of datasets, of which another dataset gives the numbers.

    Raises:
      TypeError: Elements have different types.
    """
    spec = datasets[0].element_spec
    for dataset in datasets:
        try:
            spec = structures.relaxed(spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError("All datasets must have the same type and class.") from error
    variant = dataset_node(
        "DirectedInterleaveDataset",
        spec,
        selector._variant_tensor,
        [dataset._variant_tensor for dataset in datasets],
        stop_on_empty_dataset=stops,
    )
    return plain._made(variant, spec, selector, *datasets)


def choose_from_datasets(plain: Any, datasets: Any, choice_dataset: Any, stops: bool) -> Any:
    """Elements of datasets by number; see `Dataset.choose_from_datasets`."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not hasattr(choice_dataset, "element_spec"):
        raise TypeError(
            "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
            f"{type(choice_dataset)}."
        )
    if choice_dataset.element_spec != TensorSpec([], dtypes.int64):
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    return directed(plain, choice_dataset, list(datasets), stops)


def sample_from_datasets(plain: Any, datasets: Any, weights: Any, seed: Any, stops: bool) -> Any:
    """Elements of datasets chosen at random; see `Dataset.sample_from_datasets`."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    count = len(datasets)
    if hasattr(weights, "_variant_tensor"):

        def logits_of(given: Any) -> Any:
            return log(given, name="logits")

        logits_dataset = weights.map(lambda *p: expand_dims(logits_of(p[0]), 0))
    else:
        if weights is None:
            logits = [[1.0] * count]
            logits_tensor = convert_to_tensor(np.array(logits, np.float32), name="logits")
        else:
            tensor = convert_to_tensor(weights, name="weights")
            if tensor.dtype not in (dtypes.float32, dtypes.float64):
                raise TypeError(
                    "`weights` must be convertible to a tensor of `tf.float32` or `tf.float64` "
                    "elements."
                )
            if not tensor.shape.is_compatible_with([count]):
                raise ValueError("`weights` must be a vector of length `len(datasets)`.")
            logits_tensor = expand_dims(log(tensor, name="logits"), 0)
        logits_dataset = None
    if count == 1:
        return datasets[0]

    def select_dataset_constant_logits(seed_pair: Any) -> Any:
        return squeeze(
            single("StatelessMultinomial", logits_tensor, 1, seed_pair, output_dtype=dtypes.int64),
            axis=[0, 1],
        )

    def select_dataset_varying_logits(logits: Any, seed_pair: Any) -> Any:
        return squeeze(
            single("StatelessMultinomial", logits, 1, seed_pair, output_dtype=dtypes.int64),
            axis=[0, 1],
        )

    numbers = plain.random(seed=seed).batch(2)
    if logits_dataset is None:
        selector = numbers.map(select_dataset_constant_logits)
    else:
        selector = plain.zip((logits_dataset, numbers)).map(select_dataset_varying_logits)
    return directed(plain, selector, list(datasets), stops)


def rejection_resample(
    plain: Any,
    dataset: Any,
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any,
    seed: Any,
) -> Any:
    """Elements with their classes, of which some are left out so that classes are distributed.

    Args:
      plain: The class of datasets.
      dataset: The dataset.
      class_func: Takes the components of an element; returns its class, a scalar int32.
      target_dist: How the classes are to be distributed: a vector.
      initial_dist: How they are distributed; None if they have to be counted.
      seed: Decides on what is left out, with the seed of the graph.
    """
    wanted = convert_to_tensor(target_dist, name="target_dist")
    classes = dataset.map(class_func)
    both = plain.zip((classes, dataset))
    if initial_dist is not None:
        known = convert_to_tensor(initial_dist, name="initial_dist")
        accept, kept = _acceptance(known, wanted)
        accepts = plain.from_tensors(accept).repeat()
        keeps = plain.from_tensors(kept).repeat()
        static = _constant_share(known, wanted)
    else:
        pairs = _counted_shares(classes, wanted).map(lambda share: _acceptance(share, wanted))
        accepts, keeps = pairs.map(lambda a, k: a), pairs.map(lambda a, k: k)
        static = None
    thinned = _thinned(plain, both, accepts, seed).prefetch(3)
    if static == 1:
        return both
    if static == 0:
        return thinned
    weights = keeps.map(lambda kept: stack([kept, 1.0 - kept]))
    return plain.sample_from_datasets([both, thinned], weights, seed, True)


_COUNTED_AT_A_TIME: Final = 32
_SEEN_BEFORE: Final = 10
"""How often each class is said to have come before any has."""


def _counted_shares(classes: Any, wanted: Any) -> Any:
    """A dataset of how classes are distributed among those that have come so far."""
    size: Any = wanted.shape[0].value

    def count(seen: Any, batch: Any) -> Any:
        flags = cast(one_hot(batch, size), dtypes.int64)
        seen = seen + reduce_sum(flags, 0)
        share = cast(cast(seen, dtypes.float64) / cast(reduce_sum(seen), dtypes.float64), "float32")
        return seen, tile(expand_dims(share, 0), [_COUNTED_AT_A_TIME, 1])

    before = np.full(size, _SEEN_BEFORE, np.int64)
    return classes.batch(_COUNTED_AT_A_TIME).scan(before, count).unbatch()


def _acceptance(known: Any, wanted: Any) -> tuple[Any, Any]:
    """How likely elements of each class are taken, and what part of all is taken as it is."""
    ratio = _ratio(known, wanted)
    least = reduce_min(ratio)
    return (ratio - least) / (reduce_max(ratio) - least), least


def _ratio(known: Any, wanted: Any) -> Any:
    tiny = np.finfo(known.dtype.as_numpy_dtype).tiny
    return cast(wanted, known.dtype) / (known + tiny)


def _constant_share(known: Any, wanted: Any) -> float | None:
    """The part that is taken as it is, if building knows it."""
    first, second = constants.constant_value(known), constants.constant_value(wanted)
    if first is None or second is None:
        return None
    return float(np.min(second / (first + np.finfo(first.dtype).tiny)))


def _thinned(plain: Any, both: Any, accepts: Any, seed: Any) -> Any:
    """Pairs of class and element, of which some are left out by their classes."""
    chances = plain.zip((accepts, both)).map(lambda accept, pair: (gather(accept, pair[0]), pair))
    taken = chances.filter(
        lambda chance, pair: less(random_uniform([], seed=seed, dtype=chance.dtype), chance)
    )
    return taken.map(lambda chance, pair: pair)

"""Datasets of elements that are chosen from others at random, or by numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets import structures
from dataflow.library.datasets.nodes import dataset_node
from dataflow.library.datasets.specs import TensorSpec
from dataflow.ops.array.shape import expand_dims, squeeze
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.division import div
from dataflow.ops.math.unary import log
from dataflow.ops.reductions.reduce import reduce_max, reduce_min
from dataflow.values import dtypes


def directed(plain: Any, selector: Any, datasets: Sequence[Any], stops: bool) -> Any:
    """Elements of datasets, of which another dataset gives the numbers.

    Raises:
      TypeError: Elements have different types.
    """
    spec = datasets[0].element_spec
    for dataset in datasets[1:]:
        try:
            spec = structures.relaxed(spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs. Dataset 0 "
                f"element_spec={datasets[0].element_spec}. Another one has "
                f"element_spec={dataset.element_spec}."
            ) from error
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
    if choice_dataset.element_spec != TensorSpec([], dtypes.int64):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
            f"tensors but are {choice_dataset.element_spec}."
        )
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
                    "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` "
                    f"but is {tensor.dtype}."
                )
            if not tensor.shape.is_compatible_with([count]):
                raise ValueError(
                    "Invalid `weights`. `weights` should have the same length as `datasets`, but "
                    f"got `len(weights)={tensor.shape[0]}` and `len(datasets)={count}`."
                )
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
    if initial_dist is not None:
        known = convert_to_tensor(initial_dist, name="initial_dist")
        accept, _ = _acceptance(known, wanted)
        # What can be done without a proposal that is thinned is done so.
        joined = plain.zip((classes, dataset))
        return _filtered(plain, joined, lambda: plain.from_tensors(accept).repeat(), seed)
    size: Any = wanted.shape[0].value
    counts = np.zeros(size, np.int64) + 0

    def count(state: Any, class_value: Any) -> Any:
        seen = state + cast(single("OneHot", class_value, size, 1, 0), dtypes.int64)
        share = cast(seen, dtypes.float32) / cast(single("Sum", seen, 0), dtypes.float32)
        return seen, share

    shares = classes.scan(convert_to_tensor(counts), count)
    accepts = shares.map(lambda share: _acceptance(share, wanted)[0])
    joined = plain.zip((classes, dataset))
    return _filtered(plain, joined, lambda: accepts, seed)


def _acceptance(known: Any, wanted: Any) -> tuple[Any, Any]:
    tiny = np.finfo(wanted.dtype.as_numpy_dtype).tiny
    ratio = div(cast(wanted, known.dtype), known + convert_to_tensor(tiny, known.dtype))
    most = reduce_max(ratio)
    return ratio / most, reduce_min(ratio)


def _filtered(plain: Any, joined: Any, accepts: Callable[[], Any], seed: Any) -> Any:
    numbers = plain.random(seed=seed).batch(2)

    def keep(accept: Any, pair: Any, numbers_of: Any) -> Any:
        drawn = single("StatelessRandomUniform", np.zeros(0, np.int32), numbers_of)
        return less_than(drawn, single("GatherV2", accept, pair[0], 0))

    whole = plain.zip((accepts(), joined, numbers))
    return whole.filter(keep).map(lambda accept, pair, numbers_of: pair)


def less_than(first: Any, second: Any) -> Any:
    """Whether one number is less than another."""
    return single("Less", first, second)

"""Kernels that make datasets of the features of serialized examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.buffering import AUTOTUNE
from dataflow.kernels.datasets.dataset import Dataset, Element, as_dataset
from dataflow.kernels.datasets.parsing import Parse, ParseExampleDataset
from dataflow.kernels.lists.optional import RAGGED, TENSOR, Optional
from dataflow.kernels.ops.datasets.arguments import described, number
from dataflow.kernels.ops.parsing.examples import types_of
from dataflow.kernels.parsing.examples import parse_batch
from dataflow.kernels.parsing.features import Feature, Features
from dataflow.values import dtypes


@kernel(
    "ParseExampleDataset",
    "ParseExampleDatasetV2",
    "ExperimentalParseExampleDataset",
    device="CPU",
)
def parse_example_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    elements = described(node)
    sparse, dense = node.attr("sparse_keys"), node.attr("dense_keys")
    types = types_of(node, len(sparse))
    if len(dense) != len(types.dense):
        raise invalid("len(dense_keys) != len(dense_types)")
    ragged = _ragged_features(node)
    if len(elements[0]) != len(sparse) + len(dense) + len(ragged):
        raise invalid("A dataset of examples has a component for each of their features.")

    def run(source: Any, parallel_calls: Any, *defaults: Any) -> Dataset:
        calls = number(parallel_calls, "num_parallel_calls")
        if calls <= 0 and calls != AUTOTUNE:
            raise invalid("num_parallel_calls must be greater than zero.")
        asked = Features(
            types.sparse_features(sparse), types.dense_features(dense, defaults), ragged
        )
        keys = [feature.key for feature in asked.all]
        return ParseExampleDataset(*elements, as_dataset(source), _parser(asked), keys, len(dense))

    return run


def _ragged_features(node: KernelNode) -> tuple[Feature, ...]:
    if node.op.startswith("Experimental"):
        return ()
    keys, values = node.attr("ragged_keys"), node.attr("ragged_value_types")
    splits = node.attr("ragged_split_types")
    if not len(keys) == len(values) == len(splits):
        raise invalid("len(ragged_keys) != len(ragged_value_types) or len(ragged_split_types)")
    return tuple(
        Feature(key, value, split.as_numpy_dtype)
        for key, value, split in zip(keys, values, splits, strict=True)
    )


def _parser(asked: Features) -> Parse:
    """The function of an element that gives the features, in the order of their keys."""
    count, dense = len(asked.sparse), len(asked.dense)
    keys = [each.key for part in (asked.sparse, asked.dense, asked.ragged) for each in part]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    last = 3 * count + dense

    def parse(element: Element) -> Element:
        messages = [text for part in element for text in np.ravel(part).tolist()]
        found = parse_batch(messages, (), asked)
        made: list[Any] = [
            _sparse(found[i], found[count + i], found[2 * count + i], feature)
            for i, feature in enumerate(asked.sparse)
        ]
        made += found[3 * count : last]
        values, splits = found[last : last + len(asked.ragged)], found[last + len(asked.ragged) :]
        for feature, value, split in zip(asked.ragged, values, splits, strict=True):
            kinds = (dtypes.as_dtype(feature.splits), feature.dtype)
            made.append(Optional((np.asarray(split), np.asarray(value)), kinds, RAGGED))
        return tuple(made[place] for place in order)

    return parse


def _sparse(indices: Any, values: Any, shape: Any, feature: Feature) -> Any:
    """A vector of three variants, which hold the parts of a sparse tensor."""
    made = np.empty(3, object)
    kinds = (dtypes.int64, feature.dtype, dtypes.int64)
    for place, (part, kind) in enumerate(zip((indices, values, shape), kinds, strict=True)):
        made[place] = Optional((np.asarray(part),), (kind,), TENSOR)
    return made

"""Kernels that read serialized `tf.train.Example` messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.parsing.keys import Remembered, keys_of, scalar_key
from dataflow.kernels.parsing.examples import parse_batch, parse_one
from dataflow.kernels.parsing.features import Feature, Features, dense_feature, inner_sizes

_NAMED = ("serialized", "names", "sparse_keys", "dense_keys")
_SPARSE = ("sparse_indices", "sparse_values", "sparse_shapes", "dense_values")


@kernel(
    "ParseExampleV2",
    host_inputs=(*_NAMED, "ragged_keys", "dense_defaults"),
    host_outputs=(*_SPARSE, "ragged_values", "ragged_row_splits"),
)
def parse_example_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = types_of(node, node.attr("num_sparse"))
    ragged = list(
        zip(node.attr("ragged_value_types"), node.attr("ragged_split_types"), strict=True)
    )

    def features(sparse_keys: Any, dense_keys: Any, ragged_keys: Any, *defaults: Any) -> Features:
        dense, sparse = keys_of(dense_keys), keys_of(sparse_keys)
        of_ragged = keys_of(ragged_keys)
        for keys, wanted, name, other in (
            (dense, types.dense, "dense_keys", "len(dense_types)"),
            (sparse, types.sparse, "sparse_keys", "num_sparse"),
            (of_ragged, ragged, "ragged_keys", "len(ragged_value_types)"),
        ):
            if len(keys) != len(wanted):
                raise invalid(
                    f"Expected len({name}) == {other} but got: {len(keys)} vs. {len(wanted)}"
                )
        return Features(
            types.sparse_features(sparse),
            types.dense_features(dense, defaults),
            tuple(
                Feature(key, dtype, splits.as_numpy_dtype)
                for key, (dtype, splits) in zip(of_ragged, ragged, strict=True)
            ),
        )

    remembered = Remembered(features)

    def run(serialized: Any, names: Any, *inputs: Any) -> Any:
        messages = np.asarray(serialized, object)
        if messages.ndim > 1:
            raise invalid(
                f"Expected serialized to be a scalar or vector, got shape: "
                f"{shape_text(messages.shape)}"
            )
        _check_names(names, messages)
        asked = remembered.of(inputs)
        if not messages.ndim:
            return tuple(parse_one(messages.item(), asked))
        return tuple(parse_batch(messages.tolist(), keys_of(names), asked))

    return run


@kernel("ParseExample", host_inputs=(*_NAMED, "dense_defaults"), host_outputs=_SPARSE)
def parse_example(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = types_of(node, node.attr("Nsparse"))
    count = len(types.sparse)
    if len(types.dense) != node.attr("Ndense"):
        raise invalid("len(dense_keys) != len(dense_types)")

    def features(*inputs: Any) -> Features:
        keys = [scalar_key(each) for each in inputs[: count + len(types.dense)]]
        return Features(
            types.sparse_features(keys[:count]),
            types.dense_features(keys[count:], inputs[count + len(types.dense) :]),
            (),
        )

    remembered = Remembered(features)

    def run(serialized: Any, names: Any, *inputs: Any) -> Any:
        messages = np.asarray(serialized, object)
        if messages.ndim != 1:
            raise invalid(
                f"Expected serialized to be a vector, got shape: {shape_text(messages.shape)}"
            )
        _check_names(names, messages)
        return tuple(parse_batch(messages.tolist(), keys_of(names), remembered.of(inputs)))

    return run


@kernel("ParseSingleExample", host_inputs=("serialized", "dense_defaults"), host_outputs=_SPARSE)
def parse_single_example(node: KernelNode, xp: Any) -> Callable[..., Any]:
    sparse, dense = node.attr("sparse_keys"), node.attr("dense_keys")
    types = types_of(node, len(sparse))
    if len(sparse) != node.attr("num_sparse"):
        raise invalid("len(sparse_keys) != num_sparse")
    if len(dense) != len(types.dense):
        raise invalid("len(dense_keys) != len(dense_types)")
    remembered = Remembered(
        lambda *defaults: Features(
            types.sparse_features(sparse), types.dense_features(dense, defaults), ()
        )
    )

    def run(serialized: Any, *defaults: Any) -> Any:
        message = np.asarray(serialized, object)
        if message.ndim:
            raise invalid(
                f"Expected serialized to be a scalar, got shape: {shape_text(message.shape)}"
            )
        return tuple(parse_one(message.item(), remembered.of(defaults)))

    return run


def _check_names(names: Any, serialized: Any) -> None:
    shape = np.shape(names)
    if np.size(names) and shape != serialized.shape:
        raise invalid(
            f"Expected names have the same shape as serialized: name.shape={shape_text(shape)}, "
            f"serialized.shape={shape_text(serialized.shape)}"
        )


class FeatureTypes:
    """What the attrs of one of the ops say of its features."""

    def __init__(self, sparse: Sequence[Any], dense: Sequence[Any], shapes: Sequence[Any]) -> None:
        self.sparse, self.dense, self.shapes = sparse, dense, shapes

    def sparse_features(self, keys: Sequence[bytes]) -> tuple[Feature, ...]:
        """The sparse features with these keys."""
        return tuple(Feature(key, dtype) for key, dtype in zip(keys, self.sparse, strict=True))

    def dense_features(self, keys: Sequence[bytes], defaults: Sequence[Any]) -> tuple[Any, ...]:
        """The dense features with these keys and default values."""
        return tuple(
            dense_feature(place, key, dtype, shape, np.asarray(default))
            for place, (key, dtype, shape, default) in enumerate(
                zip(keys, self.dense, self.shapes, defaults, strict=True)
            )
        )


def types_of(node: KernelNode, sparse_count: int) -> FeatureTypes:
    """What the attrs of a node say of its features.

    Raises:
      InvalidArgumentError: They contradict each other.
    """
    sparse, dense = node.attr("sparse_types"), node.attr("Tdense")
    shapes = node.attr("dense_shapes")
    if len(sparse) != sparse_count:
        raise invalid("len(sparse_keys) != len(sparse_types)")
    if len(dense) != len(shapes):
        raise invalid("len(dense_keys) != len(dense_shapes)")
    return FeatureTypes(sparse, dense, [inner_sizes(shape, i) for i, shape in enumerate(shapes)])

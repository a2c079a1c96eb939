"""Kernels that read serialized `tf.train.SequenceExample` messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.parsing.keys import keys_of, scalar_key
from dataflow.kernels.parsing.features import DenseFeature, Feature, Features
from dataflow.kernels.parsing.lists import packed
from dataflow.kernels.parsing.sequences import parse_sequences
from dataflow.kernels.parsing.single_sequences import parse_single_sequence

_CONTEXT = (
    "context_sparse_indices",
    "context_sparse_values",
    "context_sparse_shapes",
    "context_dense_values",
)
_LISTS = (
    "feature_list_sparse_indices",
    "feature_list_sparse_values",
    "feature_list_sparse_shapes",
    "feature_list_dense_values",
)


class _Types:
    """What the attrs of one of the ops say of its features."""

    def __init__(self, node: KernelNode, is_ragged: bool) -> None:
        self.sparse = node.attr("context_sparse_types")
        self.dense = node.attr("Tcontext_dense")
        self.shapes = [_sizes(shape) for shape in node.attr("context_dense_shapes")]
        self.list_sparse = node.attr("feature_list_sparse_types")
        self.list_dense = node.attr("feature_list_dense_types")
        self.list_shapes = [_sizes(shape) for shape in node.attr("feature_list_dense_shapes")]
        self.ragged = _pairs(node, "context") if is_ragged else []
        self.list_ragged = _pairs(node, "feature_list") if is_ragged else []
        for name, count, sizes in (
            ("context_sparse", node.attr("Ncontext_sparse"), [len(self.sparse)]),
            ("context_dense", len(self.dense), [len(self.shapes)]),
            ("feature_list_sparse", node.attr("Nfeature_list_sparse"), [len(self.list_sparse)]),
            (
                "feature_list_dense",
                node.attr("Nfeature_list_dense"),
                [len(self.list_dense), len(self.list_shapes)],
            ),
        ):
            for size in sizes:
                if size != count:
                    raise invalid(
                        f"num_{name} ({count}) must match the size of {name}_types ({size})"
                    )

    def context(self, sparse: Any, dense: Any, ragged: Any, defaults: Sequence[Any]) -> Features:
        """The features that an example has once."""
        return Features(
            _features(sparse, self.sparse),
            tuple(
                _dense(place, key, dtype, shape, np.asarray(default))
                for place, (key, dtype, shape, default) in enumerate(
                    zip(dense, self.dense, self.shapes, defaults, strict=True)
                )
            ),
            _ragged(ragged, self.ragged),
        )

    def lists(self, sparse: Any, dense: Any, ragged: Any, may_lack: Sequence[bool]) -> Features:
        """The features that an example has for every step."""
        return Features(
            _features(sparse, self.list_sparse),
            tuple(
                DenseFeature(key, dtype, shape, np.empty(0), b"" if lacks else None)
                for key, dtype, shape, lacks in zip(
                    dense, self.list_dense, self.list_shapes, may_lack, strict=True
                )
            ),
            _ragged(ragged, self.list_ragged),
        )


def _sizes(shape: Any) -> tuple[int, ...]:
    dims = shape.dims_tuple
    if dims is None or None in dims:
        raise invalid(f"The shape of a feature must be known: {shape}")
    return tuple(dims)


def _pairs(node: KernelNode, name: str) -> list[tuple[Any, Any]]:
    values, splits = (
        node.attr(f"{name}_ragged_value_types"),
        node.attr(f"{name}_ragged_split_types"),
    )
    if len(values) != len(splits):
        raise invalid(
            f"num_{name}_ragged ({len(values)}) must match the size of {name}_ragged_value_types "
            f"({len(values)}) and {name}_ragged_split_types ({len(splits)})"
        )
    return list(zip(values, splits, strict=True))


def _features(keys: Sequence[bytes], types: Sequence[Any]) -> tuple[Feature, ...]:
    return tuple(Feature(key, dtype) for key, dtype in zip(keys, types, strict=True))


def _ragged(keys: Sequence[bytes], pairs: Sequence[tuple[Any, Any]]) -> tuple[Feature, ...]:
    return tuple(
        Feature(key, dtype, splits.as_numpy_dtype)
        for key, (dtype, splits) in zip(keys, pairs, strict=True)
    )


def _dense(place: int, key: bytes, dtype: Any, shape: tuple[int, ...], default: Any) -> Any:
    if default.size and default.shape != shape:
        raise invalid(
            f"default_value[{place}].shape() == {shape_text(default.shape)} != "
            f"context_dense_shapes[{place}] == {shape_text(shape)}"
        )
    return DenseFeature(
        key, dtype, shape, default, packed(default, dtype) if default.size else None
    )


@kernel(
    "ParseSequenceExampleV2",
    host_inputs=(
        "serialized",
        "debug_name",
        "context_sparse_keys",
        "context_dense_keys",
        "context_ragged_keys",
        "feature_list_sparse_keys",
        "feature_list_dense_keys",
        "feature_list_ragged_keys",
        "feature_list_dense_missing_assumed_empty",
        "context_dense_defaults",
    ),
    host_outputs=(
        *_CONTEXT,
        "context_ragged_values",
        "context_ragged_row_splits",
        *_LISTS,
        "feature_list_dense_lengths",
        "feature_list_ragged_values",
        "feature_list_ragged_outer_splits",
        "feature_list_ragged_inner_splits",
    ),
)
def parse_sequence_example_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = _Types(node, is_ragged=True)
    wanted = (
        ("context_sparse_keys", len(types.sparse), "Ncontext_sparse"),
        ("context_dense_keys", len(types.dense), "len(Tcontext_dense)"),
        ("context_ragged_keys", len(types.ragged), "len(context_ragged_value_types)"),
        ("feature_list_sparse_keys", len(types.list_sparse), "Nfeature_list_sparse"),
        ("feature_list_dense_keys", len(types.list_dense), "Nfeature_list_dense"),
        (
            "feature_list_ragged_keys",
            len(types.list_ragged),
            "len(feature_list_ragged_value_types)",
        ),
    )

    def run(serialized: Any, names: Any, *inputs: Any) -> Any:
        keys = [keys_of(each) for each in inputs[:6]]
        for found, (name, count, other) in zip(keys, wanted, strict=True):
            if len(found) != count:
                raise invalid(f"Expected len({name}) to match {other}")
        may_lack = np.asarray(inputs[6]).ravel().tolist()
        if len(may_lack) != len(types.list_dense):
            raise invalid(
                "Expected len(feature_list_dense_missing_assumed_empty to match Nfeature_list_dense"
            )
        messages = _messages(serialized)
        return _flat(
            parse_sequences(
                keys_of(messages),
                _checked_names(names, messages),
                types.context(keys[0], keys[1], keys[2], inputs[7:]),
                types.lists(keys[3], keys[4], keys[5], may_lack),
                messages.ndim == 1,
            )
        )

    return run


@kernel(
    "ParseSequenceExample",
    host_inputs=("serialized", "debug_name", "context_dense_defaults"),
    host_outputs=(*_CONTEXT, *_LISTS, "feature_list_dense_lengths"),
)
def parse_sequence_example(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = _Types(node, is_ragged=False)
    names_of_keys = ("context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense")
    keys = [node.attr(f"{name}_keys") for name in names_of_keys]
    for name, found in zip(names_of_keys, keys, strict=True):
        if len(found) != node.attr(f"N{name}"):
            raise invalid(
                f"num_{name} ({node.attr(f'N{name}')}) must match the size of {name}_keys "
                f"({len(found)})"
            )
    if len(types.dense) != len(keys[1]):
        raise invalid(
            f"num_context_dense ({len(keys[1])}) must match the size of context_dense_types "
            f"({len(types.dense)})"
        )
    may_lack = set(node.attr("feature_list_dense_missing_assumed_empty"))
    lists = types.lists(keys[2], keys[3], (), [key in may_lack for key in keys[3]])

    def run(serialized: Any, names: Any, *defaults: Any) -> Any:
        messages = _messages(serialized)
        made = parse_sequences(
            keys_of(messages),
            _checked_names(names, messages),
            types.context(keys[0], keys[1], (), defaults),
            lists,
            messages.ndim == 1,
        )
        # Without the lists of ragged features, which this op has not.
        return _flat([*made[:4], *made[6:11]])

    return run


@kernel(
    "ParseSingleSequenceExample",
    host_inputs=(
        "serialized",
        "feature_list_dense_missing_assumed_empty",
        "context_sparse_keys",
        "context_dense_keys",
        "feature_list_sparse_keys",
        "feature_list_dense_keys",
        "context_dense_defaults",
        "debug_name",
    ),
    host_outputs=(*_CONTEXT, *_LISTS),
)
def parse_single_sequence_example(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = _Types(node, is_ragged=False)
    counts = (len(types.sparse), len(types.dense), len(types.list_sparse), len(types.list_dense))
    if node.attr("Ncontext_dense") != len(types.dense):
        raise invalid("len(context_dense_keys) != len(context_dense_types)")

    def run(serialized: Any, may_lack: Any, *inputs: Any) -> Any:
        keys, place = [], 0
        for count in counts:
            keys.append([scalar_key(each) for each in inputs[place : place + count]])
            place += count
        if np.ndim(may_lack) != 1:
            raise invalid(
                "Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: "
                f"{shape_text(np.shape(may_lack))}"
            )
        lacks = set(keys_of(may_lack))
        for argument, value in (("debug_name", inputs[-1]), ("serialized", serialized)):
            if np.ndim(value):
                raise invalid(
                    f"Expected {argument} to be a scalar, got shape: {shape_text(np.shape(value))}"
                )
        message, name = scalar_key(serialized), scalar_key(inputs[-1])
        return _flat(
            parse_single_sequence(
                message,
                name.decode(errors="backslashreplace"),
                types.context(keys[0], keys[1], (), inputs[place:-1]),
                types.lists(keys[2], keys[3], (), [key in lacks for key in keys[3]]),
            )
        )

    return run


def _messages(serialized: Any) -> Any:
    messages = np.asarray(serialized, object)
    if messages.ndim > 1:
        raise invalid(
            f"Expected serialized to be a scalar or vector, got shape: {shape_text(messages.shape)}"
        )
    return messages


def _checked_names(names: Any, messages: Any) -> list[bytes]:
    found = keys_of(names)
    if found and len(found) != messages.size:
        raise invalid("example_names must be empty or have the correct number of elements")
    return found


def _flat(lists: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(value for each in lists for value in each)

"""Ops on lookup tables, by handles and, as in old graphs, by references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.ops.basic.handle_shapes import HANDLE, with_handle
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    SCALAR,
    UNKNOWN,
    merge,
    merge_dim,
    no_outputs,
    scalar,
    unknown,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from dataflow.values.shapes import TensorShape

_TYPES: Final = ("key_dtype: type", "value_dtype: type")
_SHARED: Final = (
    "container: string = ''",
    "shared_name: string = ''",
    "use_node_name_sharing: bool = false",
    *_TYPES,
)
_VALUES: Final = ("value_shape: shape = []",)
_DENSE: Final = (
    *_VALUES,
    "initial_num_buckets: int = 131072",
    "max_load_factor: float = 0.8",
)


def _old_handle(c: InferenceContext) -> TensorShape:
    return HANDLE


def _of_scalars(c: InferenceContext) -> TensorShape:
    return _holding(c, SCALAR, SCALAR)


def _of_tensors(c: InferenceContext) -> TensorShape:
    return _holding(c, SCALAR, c.attr("value_shape"))


def _dense(c: InferenceContext) -> TensorShape:
    return _holding(c, with_rank_at_most(c.input(0), 1), c.attr("value_shape"))


def _holding(c: InferenceContext, key_shape: TensorShape, value_shape: TensorShape) -> TensorShape:
    held = (c.attr("key_dtype"), key_shape), (c.attr("value_dtype"), value_shape)
    c.set_output_handle(0, held)
    return SCALAR


def _found(c: InferenceContext) -> TensorShape:
    held = c.input_handle(0)
    if not held or len(held) < 2:
        return UNKNOWN
    (_, key_shape), (_, value_shape) = held
    keys = c.input(1)
    if keys.rank is None or key_shape.rank is None:
        return UNKNOWN
    if keys.rank < key_shape.rank:
        raise ValueError(f"Expected keys to have suffix {key_shape} but saw shape: {keys}")
    return keys[: keys.rank - key_shape.rank].concatenate(value_shape)


def _filled(c: InferenceContext) -> list[TensorShape]:
    merge(with_rank(c.input(1), 1), c.input(2))
    return []


def _imported(c: InferenceContext) -> list[TensorShape]:
    (count,) = with_rank(c.input(1), 1).dims_tuple or (None,)
    merge_dim(count, (with_rank_at_least(c.input(2), 1).dims_tuple or (None,))[0])
    return []


def _filled_from_file(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    return []


def _without_keys(c: InferenceContext) -> list[TensorShape]:
    with_rank_at_least(c.input(1), 1)
    return []


def _found_by_reference(c: InferenceContext) -> TensorShape:
    with_handle(c)
    return UNKNOWN


def _size_by_reference(c: InferenceContext) -> TensorShape:
    with_handle(c)
    return SCALAR


def _exported_by_reference(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    return [TensorShape([None]), UNKNOWN]


def _define_table(
    name: str, inputs: str, attrs: tuple[str, ...], handle: str, shape: Any, doc: str
) -> None:
    define_op(
        name,
        inputs=inputs,
        outputs=f"table_handle: {handle}",
        attrs=attrs,
        shape=shape,
        gradient=NOT_DIFFERENTIABLE,
        doc=doc,
        stateful=True,
    )


for _op, _more, _shape, _doc in (
    ("HashTable", (), scalar, "A table that is filled once."),
    ("MutableHashTable", (), _of_scalars, "A table of scalars that steps may change."),
    (
        "MutableHashTableOfTensors",
        _VALUES,
        _of_tensors,
        "A table of tensors of one shape that steps may change.",
    ),
    (
        "MutableDenseHashTable",
        _DENSE,
        _dense,
        "A table that steps may change, in which some keys cannot be.",
    ),
):
    _is_dense = _op == "MutableDenseHashTable"
    _keys = "empty_key: key_dtype, deleted_key: key_dtype" if _is_dense else ""
    if not _is_dense:  # TensorFlow's own kernel refuses the op of old graphs.
        _define_table(_op, "", (*_SHARED, *_more), "Ref(string)", _old_handle, _doc)
    _define_table(f"{_op}V2", _keys, (*_SHARED, *_more), "resource", _shape, _doc)
    _define_table(f"Anonymous{_op}", _keys, (*_TYPES, *_more), "resource", _shape, _doc)


def _define_use(
    name: str,
    shape: Callable[[InferenceContext], Any],
    by_reference: Callable[[InferenceContext], Any],
    doc: str,
    *,
    inputs: str = "",
    outputs: str = "",
    attrs: tuple[str, ...] = (),
) -> None:
    """An op on a table, by a handle and, but where it is new, by a reference."""
    for handle in ("resource", "Ref(string)"):
        is_new = handle == "resource"
        if not is_new and name == "LookupTableRemove":
            continue
        define_op(
            f"{name}V2" if is_new else name,
            inputs=f"table_handle: {handle}{inputs}",
            outputs=outputs,
            attrs=attrs,
            shape=shape if is_new else by_reference,
            gradient=NOT_DIFFERENTIABLE,
            doc=doc,
            stateful=is_new,
        )


_define_use(
    "LookupTableFind",
    _found,
    _found_by_reference,
    "The values of keys, a default for those that are not there.",
    inputs=", keys: Tin, default_value: Tout",
    outputs="values: Tout",
    attrs=("Tin: type", "Tout: type"),
)

for _op, _shape, _doc in (
    ("LookupTableInsert", no_outputs, "Gives keys their values."),
    ("LookupTableImport", _imported, "Replaces all that a table has."),
):
    _define_use(
        _op,
        _shape,
        no_outputs,
        _doc,
        inputs=", keys: Tin, values: Tout",
        attrs=("Tin: type", "Tout: type"),
    )

_define_use(
    "LookupTableRemove",
    _without_keys,
    no_outputs,
    "Takes keys out of a table.",
    inputs=", keys: Tin",
    attrs=("Tin: type",),
)

_define_use(
    "LookupTableSize",
    scalar,
    _size_by_reference,
    "How many keys a table has.",
    outputs="size: int64",
)

_define_use(
    "LookupTableExport",
    unknown,
    _exported_by_reference,
    "All keys and values of a table.",
    outputs="keys: Tkeys, values: Tvalues",
    attrs=("Tkeys: type", "Tvalues: type"),
)

_define_use(
    "InitializeTable",
    _filled,
    _filled,
    "Fills a table that is filled once.",
    inputs=", keys: Tkey, values: Tval",
    attrs=("Tkey: type", "Tval: type"),
)

_define_use(
    "InitializeTableFromTextFile",
    _filled_from_file,
    _filled_from_file,
    "Fills a table that is filled once from the lines of a file.",
    inputs=", filename: string",
    attrs=(
        "key_index: int >= -2",
        "value_index: int >= -2",
        "vocab_size: int >= -1 = -1",
        "delimiter: string = '\\t'",
        "offset: int = 0",
    ),
)

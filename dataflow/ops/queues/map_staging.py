"""Ops on staging areas with keys: values that steps leave for others, which ask for them by key."""

from __future__ import annotations

from typing import Final

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs, scalar, unknown

_LIMITS: Final = ("capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0")
_NAMES: Final = ("container: string = ''", "shared_name: string = ''")
_SOME: Final = (*_LIMITS, "dtypes: list(type) >= 1", *_NAMES)
_ANY: Final = (*_LIMITS, "dtypes: list(type)", *_NAMES)

for _prefix, _first in (("", "any"), ("Ordered", "the one of the lowest key")):
    define_op(
        f"{_prefix}MapStage",
        inputs="key: int64, indices: int32, values: fake_dtypes",
        attrs=[*_LIMITS, "dtypes: list(type)", "fake_dtypes: list(type) >= 1", *_NAMES],
        shape=no_outputs,
        gradient=NOT_DIFFERENTIABLE,
        doc="Leaves components of the values of a key; waits while there is no room for them.",
        stateful=True,
    )

    for _kind, _doc in (
        ("Peek", "Components of the values of a key, which stay there"),
        ("Unstage", "Takes components of the values of a key"),
    ):
        define_op(
            f"{_prefix}Map{_kind}",
            inputs="key: int64, indices: int32",
            outputs="values: dtypes",
            attrs=list(_SOME),
            shape=unknown,
            gradient=NOT_DIFFERENTIABLE,
            doc=f"{_doc}; waits until all of them are there.",
            stateful=True,
        )

    define_op(
        f"{_prefix}MapUnstageNoKey",
        inputs="indices: int32",
        outputs="key: int64, values: dtypes",
        attrs=list(_SOME),
        shape=unknown,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"Takes components of values and tells their key: {_first}; waits for them.",
        stateful=True,
    )

    for _kind, _doc in (("Size", "all"), ("IncompleteSize", "some, not all,")):
        define_op(
            f"{_prefix}Map{_kind}",
            outputs="size: int32",
            attrs=list(_ANY),
            shape=scalar,
            gradient=NOT_DIFFERENTIABLE,
            doc=f"How many keys have {_doc} components.",
            stateful=True,
        )

    define_op(
        f"{_prefix}MapClear",
        attrs=list(_ANY),
        shape=no_outputs,
        gradient=NOT_DIFFERENTIABLE,
        doc="Drops all values.",
        stateful=True,
    )

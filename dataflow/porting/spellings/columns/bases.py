"""tensorflow.python.feature_column: base classes of columns, one for each of their generations."""

from __future__ import annotations

from typing import Any

from dataflow.feature_columns.inputs import CategoricalColumn as _Categories
from dataflow.feature_columns.inputs import DenseColumn as _Numbers
from dataflow.feature_columns.inputs import FeatureColumn as _Column
from dataflow.feature_columns.sequences import SequenceDenseColumn as _Sequences


def _generations(own: type, parents: tuple[tuple[Any, ...], tuple[Any, ...]]) -> tuple[Any, Any]:
    """Two classes of one of ours, so that programs may derive from both, in either order.

    Columns of ours are instances of both. A program's own class is one of a generation that it
    does not derive from only if it derives from neither.
    """
    made: list[Any] = []

    def knows(cls: type, other: type) -> Any:
        if cls not in made or own not in other.__mro__:
            return NotImplemented
        return cls in other.__mro__ or all(each not in other.__mro__ for each in made)

    for mark, more in zip(("_", ""), parents, strict=True):
        members: dict[str, Any] = {
            "__doc__": own.__doc__,
            "__module__": __name__,
            "__subclasshook__": classmethod(knows),
        }
        made.append(type(own)(mark + own.__name__, (own, *more), members))
    return made[0], made[1]


_FeatureColumn, FeatureColumn = _generations(_Column, ((), ()))
_OF_EACH = ((_FeatureColumn,), (FeatureColumn,))
_DenseColumn, DenseColumn = _generations(_Numbers, _OF_EACH)
_CategoricalColumn, CategoricalColumn = _generations(_Categories, _OF_EACH)
_SequenceDenseColumn, SequenceDenseColumn = _generations(_Sequences, _OF_EACH)

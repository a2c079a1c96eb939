"""Weights that are one variable, or the parts of one along its first dimension."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import colocate_with, device
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.partition import dynamic_partition, dynamic_stitch
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.array.split import split
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.math.binary import maximum
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.state.reference import assign_add
from dataflow.ops.state.scatter import scatter_add
from dataflow.values import dtypes
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.variable import Variable


def parts_of(variable: Any) -> list[Any]:
    """The variables that hold it."""
    if isinstance(variable, (list, PartitionedVariable)):
        return list(variable)
    return [variable]


def whole(variable: Any) -> Tensor:
    """It as one tensor."""
    if isinstance(variable, (list, PartitionedVariable)):
        variable = concat(list(variable), axis=0)
    return convert_to_tensor(variable)


class Unshrunk:
    """What weights are before the L1 norm shrinks them: slots beside the variables."""

    def __init__(self, variable: Any, suffix: str) -> None:
        """Makes them, zeros at first; their names are the variables' with a suffix."""
        self.is_parted = isinstance(variable, (list, PartitionedVariable))
        self.parts = []
        for each in parts_of(variable):
            with colocate_with(each) if self.is_parted else device(each.device):
                self.parts.append(
                    Variable(
                        zeros_like(each.initialized_value(), dtypes.float32),
                        name=f"{each.op.name}{suffix}",
                    )
                )
        self._ids: Any = None
        self._assignments: Any = None
        self._inner: list[Any] = []

    def gathered(self, ids: Tensor) -> Tensor:
        """The weights of features; `add_to_gathered` changes the same."""
        self._ids = ids
        if not self.is_parted:
            (part,) = self.parts
            with device(part.device):
                return gather(convert_to_tensor(part), ids)
        count = len(self.parts)
        flat = reshape(ids, [-1])
        total = self._rows(flat)
        each, extra = total // count, total % count
        # As "div" cuts variables: the first `extra` parts have a row more.
        of_part: Any = maximum(flat // (each + 1), (flat - extra) // each)
        inner = where(of_part < extra, flat % (each + 1), (flat - extra) % each)
        self._assignments = cast(of_part, dtypes.int32)
        self._inner = dynamic_partition(inner, self._assignments, count)
        found = []
        for part, rows in zip(self.parts, self._inner, strict=True):
            with colocate_with(part):
                found.append(gather(part, rows))
        order = dynamic_partition(number_range(shape(inner)[0]), self._assignments, count)
        return dynamic_stitch(order, found)

    def add_to_gathered(self, update: Tensor) -> list[Any]:
        """Operations that add to the weights of the features of `gathered`."""
        if not self.is_parted:
            return [scatter_add(self.parts[0], self._ids, update)]
        updates = dynamic_partition(update, self._assignments, len(self.parts))
        found = []
        for part, rows, its in zip(self.parts, self._inner, updates, strict=True):
            with colocate_with(part):
                found.append(scatter_add(part, rows, its))
        return found

    def whole(self) -> Tensor:
        """All of them as one tensor."""
        return whole(self.parts if self.is_parted else self.parts[0])

    def add(self, update: Tensor) -> list[Any]:
        """Operations that add to all of them."""
        if not self.is_parted:
            return [assign_add(self.parts[0], update)]
        sizes = [each.shape.as_list()[0] for each in self.parts]
        updates = split(update, num_or_size_splits=sizes)
        return [assign_add(part, its) for part, its in zip(self.parts, updates, strict=True)]

    def _rows(self, like: Tensor) -> Any:
        sizes = [each.shape[0].value for each in self.parts]
        if None not in sizes:
            return constant(sum(sizes), like.dtype)
        return reduce_sum(cast(stack([shape(each)[0] for each in self.parts]), like.dtype))

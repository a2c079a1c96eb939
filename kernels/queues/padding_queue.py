"""A queue whose elements may differ in some sizes: stacked, they are filled up to the largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.lists.stacking import make_zeros, stack_elements
from dataflow.kernels.queues.queue import Element, Queue
from dataflow.values.dtypes import DType


class PaddingQueue(Queue):
    """Elements first in, first out."""

    kind = "PaddingFIFOQueue"

    def _stacked(self, elements: Sequence[Element]) -> Element:
        if not elements:
            return super()._stacked(elements)
        columns = list(zip(*elements, strict=True))
        ragged = [len({np.shape(value) for value in column}) > 1 for column in columns]
        if not any(ragged):
            return super()._stacked(elements)
        return tuple(
            self._padded(column, dtype) if differs else stack_elements(np, column, dtype)
            for column, dtype, differs in zip(columns, self.types, ragged, strict=True)
        )

    @staticmethod
    def _padded(values: Sequence[Any], dtype: DType) -> Any:
        """Stacks values of one rank; zeros or empty strings fill them up at their ends."""
        sizes = np.max([np.shape(value) for value in values], axis=0)
        made = make_zeros(np, (len(values), *sizes.tolist()), dtype)
        for row, value in zip(made, values, strict=True):
            row[tuple(map(slice, value.shape))] = value
        return made

"""Convolutions of images in parts, each one call of oneDNN, on whichever threads are idle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.convolution.bands import bands
from dataflow.kernels.convolution.kept import Kept
from dataflow.kernels.convolution.plans import CompiledConvolution, Geometry, plan
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import CONVOLVE, FLOAT32
from dataflow.kernels.threads.parallel import split


class Share(NamedTuple):
    """What one call does."""

    images: slice
    read: slice
    """Rows of the images."""
    written: slice
    """Rows of the results."""
    geometry: Geometry
    plan: CompiledConvolution


_ALL: Final = slice(None)


class Calls:
    """The calls that do all images."""

    def __init__(self, shares: Sequence[Share], geometry: Geometry, images: int) -> None:
        self._shares = shares
        self._main = shares[0].plan
        self._threads = images * geometry.work / geometry.worth
        """How many threads all of them are worth."""
        is_lone = len(shares) == 1 and shares[0].read == shares[0].written == _ALL
        self.lone: Final = self._main if is_lone else None
        """What does all images in one call, if there is only one."""

    @classmethod
    def of(cls, function: str, geometry: Geometry, images: int, step: int) -> Calls | None:
        """Calls for equal numbers of images each, the last one for the rest.

        Returns:
          None where oneDNN has no code for them.
        """
        shares = []
        for start in range(0, images, step):
            part = slice(start, min(images, start + step))
            found = plan(function, geometry, part.stop - part.start)
            if found is None:
                return None
            shares.append(Share(part, _ALL, _ALL, geometry, found))
        return cls(shares, geometry, images)

    @classmethod
    def in_bands(cls, geometry: Geometry, images: int, count: int) -> Calls | None:
        """Calls for so many bands of each image; None where oneDNN has no code for them."""
        shares = []
        for band in bands(geometry, count):
            found = plan(CONVOLVE, band.geometry, 1)
            if found is None:
                return None
            for index in range(images):
                part = slice(index, index + 1)
                shares.append(Share(part, band.read, band.written, band.geometry, found))
        return cls(shares, geometry, images) if shares else None

    def run(
        self,
        arrays: Sequence[Any],
        result: Any,
        finish: Callable[[Any], None] | None = None,
        added: Any = None,
        kept: Kept | None = None,
    ) -> None:
        """Computes results that have a place for each image.

        Args:
          arrays: Images, filters, and a bias if there is one; elements of each lie side by side.
          result: Where the results go.
          finish: What then changes the results in place, part by part, or None.
          added: What is added to the results, if the geometry says so.
          kept: Has the filters in other layouts, or will.
        """
        images, filters, *more = arrays
        converted: dict[CompiledConvolution, Any] = {}
        for share in self._shares:
            if share.plan not in converted:
                converted[share.plan] = self._converted(share.plan, filters, converted, kept)

        def call(share: Share, _: int) -> None:
            read, written = images[share.images, share.read], result[share.images, share.written]
            touched = [read, written, converted[share.plan], *more]
            if added is not None:
                touched.append(added[share.images, share.written])
            share.plan.primitive.run(*map(address_of, touched))
            if finish is not None:
                finish(written)

        self._split(call)

    def _converted(
        self,
        chosen: CompiledConvolution,
        filters: Any,
        converted: dict[CompiledConvolution, Any],
        kept: Kept | None,
    ) -> Any:
        """The filters as a plan reads them, which other plans may read as well."""
        own = None if kept is None else kept.find(chosen, filters)
        if own is not None:
            return own
        for other, own in converted.items():
            if chosen.agrees_with(other):
                return own
        return chosen.converted(filters, f"oneDNN filters {len(converted)}")

    def sum_up(self, x: Any, dy: Any) -> Any:
        """The gradient of the filters."""
        last = self._shares[-1].plan
        count = len(self._shares)
        shape = (count, max(self._main.filter_bytes, last.filter_bytes))
        sums = workspace(np, "oneDNN sums", shape, np.uint8)

        def call(share: Share, index: int) -> None:
            addresses = map(address_of, (x[share.images], dy[share.images], sums[index]))
            share.plan.primitive.run(*addresses)

        self._split(call)
        totals = sums.view(FLOAT32)
        alike = count - (not last.agrees_with(self._main))
        for other in totals[1:alike]:
            totals[0] += other
        result = self._main.plain(totals[0])
        return result if alike == count else result + last.plain(totals[-1])

    def _split(self, call: Callable[[Share, int], None]) -> None:
        shares = self._shares

        def piece(first: int, last: int) -> None:
            for index in range(first, last):
                call(shares[index], index)

        split(len(shares), max(1, int(len(shares) / self._threads)), piece)

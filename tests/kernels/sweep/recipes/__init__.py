"""What the sweep tries: programs around every op that takes another way by size or layout."""

from __future__ import annotations

from tests.kernels.sweep.recipes import (
    arrays,
    elements,
    images,
    products,
    reductions,
    rows,
    updates,
)

RECIPES = (
    *products.RECIPES,
    *images.RECIPES,
    *rows.RECIPES,
    *reductions.RECIPES,
    *arrays.RECIPES,
    *elements.RECIPES,
    *updates.RECIPES,
)

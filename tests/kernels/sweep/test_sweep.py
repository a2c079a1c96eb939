"""A short run of the sweep, and that it reaches all that has kernels of its own for CPUs."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.kernels.contract import registry
from dataflow.kernels.load import load_generic
from tests.kernels.sweep.recipe import Recipe
from tests.kernels.sweep.recipes import RECIPES
from tests.kernels.sweep.sizes import thresholds
from tests.kernels.sweep.trials import Sweep, make_trial

_TRIALS = 3
_LIMIT = 1 << 14


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_as_in_tensorflow(recipe: Recipe) -> None:
    sweep = Sweep()
    for number in range(_TRIALS):
        seed = [number, *recipe.name.encode()]
        trial = make_trial(recipe, _LIMIT, np.random.default_rng(seed))
        difference = sweep.differences(trial)
        assert not difference, f"{trial}: {difference}"


def test_every_module_of_kernels_for_cpus_is_reached() -> None:
    load_generic()
    modules: dict[str, set[str]] = {}
    for (op, device), entries in registry._KERNELS.items():
        if device == "CPU":
            for entry in entries:
                modules.setdefault(_module(entry.bind), set()).add(op)
    sweep = Sweep()
    reached = {op for recipe in RECIPES for op in sweep.ops(recipe)}
    missed = {module: ops for module, ops in modules.items() if not ops & reached}
    assert not [module for module in missed if not _is_without_arithmetic(module)]


def _is_without_arithmetic(module: str) -> bool:
    """Files, queues, datasets and tables move values, and have no fast path that depends on sizes;
    summaries are messages, not arrays; functions that are called are the program's; the time has
    no size.
    Locks and requests move values, too; images that are padded go the ways of the ops for it; dual
    ascent goes from example to example.
    Trees, quantized numbers and the last of the others go one way whatever their sizes and
    layout; colors in YIQ space, hashed points and beams are none of TensorFlow 2's."""
    families = ("boosted_trees", "datasets", "lookup", "python", "quantization", "queues")
    more = ("gradient_trees", "readers", "saving", "summaries", "tensor_forest")
    in_family = any(f"/ops/{family}/" in module for family in (*families, *more))
    others = (
        "flow/timestamp",
        "flow/batching",
        "flow/map_defun",
        "image/padded_conv",
        "image/yiq",
        "linalg/hashed_points",
        "sequences/gather_tree",
        "sparse/tensors_map",
    )
    others += ("state/mutex", "nn/fractional", "state/inplace", "math/dual_ascent")
    return in_family or module.endswith(
        tuple(f"/ops/{each}.py" for each in (*others, "text/fingerprint"))
    )


def _module(bind: registry.Bind) -> str:
    """Where the function was written, if it was made by another one."""
    name: str = bind.__code__.co_filename
    return name


def test_sizes_are_drawn_around_the_thresholds_of_kernels() -> None:
    known = thresholds()
    assert len(known) > 50
    assert {1 << 10, 1 << 11, 1 << 12, 1 << 16, 1 << 17, 1 << 18} <= set(known)

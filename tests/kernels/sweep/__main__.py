"""Runs the sweep; prints what differs from TensorFlow, and how much was tried.

Run as `python -m tests.kernels.sweep --count 10000 --seed 1`.
"""

from __future__ import annotations

from collections import Counter

import click
import numpy as np

from tests.kernels.sweep.recipes import RECIPES
from tests.kernels.sweep.trials import Sweep, make_trial


@click.command()
@click.option("--count", default=10_000, help="How many trials.")
@click.option("--first", default=0, help="The number of the first one.")
@click.option("--seed", default=1, help="Of the draws; with it each trial has its number.")
@click.option("--limit", default=1 << 20, help="Of the product of the sizes of all axes.")
@click.option("--only", default="", help="Recipes whose names begin so.")
@click.option("--show", is_flag=True, help="Prints each trial before it, in case it crashes.")
def main(count: int, first: int, seed: int, limit: int, only: str, show: bool) -> None:
    """Tries recipes on drawn operands, each in turn."""
    recipes = [recipe for recipe in RECIPES if recipe.name.startswith(only)]
    sweep = Sweep()
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for number in range(first, first + count):
        recipe = recipes[number % len(recipes)]
        trial = make_trial(recipe, limit, np.random.default_rng([seed, number]))
        tried.update(trial.layouts)
        if show:
            click.echo(f"{number}: {trial}", err=True)
        difference = sweep.differences(trial)
        if difference:
            failed[recipe.name] += 1
            click.echo(f"{number}: {trial}: {difference}")
    layouts = ", ".join(f"{name} {number}" for name, number in tried.most_common())
    click.echo(f"{count} trials of {len(recipes)} recipes; operands: {layouts}")
    click.echo(f"{failed.total()} differ: {dict(failed)}")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()

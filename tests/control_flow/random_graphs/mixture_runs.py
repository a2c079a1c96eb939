"""Compares random mixtures of loops and branches with plain Python.

Run as `python -m tests.control_flow.random_graphs.mixture_runs --count N`.

Prints each program that differs, made as small as it can be, then how many were compared and how
large the largest was.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

import dataflow as tf
from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.functional import functional_control_flow
from tests.control_flow.random_graphs.mixture_graph import Built, build
from tests.control_flow.random_graphs.mixture_plain import Outcome, evaluate
from tests.control_flow.random_graphs.mixtures import (
    NUM_DEVICES,
    Mixture,
    depth_of,
    generate,
    loop_depth,
    size_of,
    smaller,
)

MAX_DEPTH = 5


def generate_any(seed: int) -> Mixture:
    """The program of a number."""
    source = random.Random(seed)
    return generate(source, source.randint(1, MAX_DEPTH), source.randint(1, NUM_DEVICES))


def compare(mixture: Mixture, *, functional: bool = False) -> None:
    """Fails unless a program computes on both paths what plain Python does.

    The loss, its gradients along random directions, and the variables after the step must agree.

    Args:
      mixture: The program.
      functional: Whether its control flow is built as functions; its variables are resources then.
    """
    if functional:
        mixture = replace(mixture, resource=True)
    expected = evaluate(mixture, directions(mixture))
    with tf.Graph().as_default() as graph:
        with functional_control_flow(tf) if functional else nullcontext():
            built = build(tf, mixture)
        for path in PATHS:
            config = ControlFlowPath(path).config(
                device_count={"CPU": NUM_DEVICES}, allow_soft_placement=True
            )
            with tf.Session(graph=graph, config=config) as session:
                assert_outcome(run(session, built, mixture), expected)


def directions(mixture: Mixture) -> np.ndarray:
    """A direction for each input and variable, in which derivatives are compared."""
    return np.random.default_rng(mixture.seed + 1).uniform(-1, 1, (4, 2, 2))


def feeds(mixture: Mixture) -> dict[str, Any]:
    """The values of the inputs, by the names of their tensors."""
    start = mixture.matrices()
    return {"x:0": start[0], "w:0": start[1], "n:0": mixture.trips}


def run(session: Any, built: Built, mixture: Mixture) -> Outcome:
    """The outcome of a program in a session of any library."""
    session.run(built.initializer)
    found = [each for each in built.gradients if each is not None]
    loss, _, *arrays = session.run([built.loss, built.finished, *found], feeds(mixture))
    variables = session.run(built.variables)
    values = iter(arrays)
    slopes = [
        0.0 if each is None else float(np.sum(next(values) * direction))
        for each, direction in zip(built.gradients, directions(mixture), strict=True)
    ]
    return Outcome(float(loss), variables, slopes)


def assert_outcome(have: Outcome, want: Outcome, digits: int = 9) -> None:
    """Fails unless two outcomes agree in so many digits, derivatives in two less."""
    close, less = 10.0**-digits, 10.0 ** (2 - digits)
    np.testing.assert_allclose(have.loss, want.loss, close, close, err_msg="loss")
    for ours, theirs in zip(have.variables, want.variables, strict=True):
        np.testing.assert_allclose(ours, theirs, close, close, err_msg="variable")
    np.testing.assert_allclose(have.slopes, want.slopes, less, less, err_msg="derivatives")


def least(mixture: Mixture, functional: bool, seconds: float) -> Mixture:
    """A smaller program that fails with the same class of error; looked for so long at most."""
    kind, end = type(failure(mixture, functional)), time.monotonic() + seconds
    found = True
    while found:
        found = False
        for block in smaller(mixture.block):
            if time.monotonic() > end:
                return mixture
            less = replace(mixture, block=block)
            if type(failure(less, functional)) is kind:
                mixture, found = less, True
                break
    return mixture


def failure(mixture: Mixture, functional: bool) -> Exception | None:
    """The error of a comparison, or None."""
    try:
        compare(mixture, functional=functional)
    except Exception as error:
        return error
    return None


def main() -> int:
    """Compares as many programs as the command line says; returns how many differ."""
    parser = argparse.ArgumentParser(description="Compares random control flow with plain Python.")
    parser.add_argument("--count", type=int, default=1000, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--functional", action="store_true", help="build If and While")
    parser.add_argument("--seconds", type=float, default=60.0, help="to make a failure small")
    arguments = parser.parse_args()
    done: list[Mixture] = []
    bad = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        mixture = generate_any(seed)
        error = failure(mixture, arguments.functional)
        done.append(mixture)
        if error is not None:
            bad += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
            print(least(mixture, arguments.functional, arguments.seconds), flush=True)
        if len(done) % 100 == 0:
            print(summary(done, bad), flush=True)
    print(summary(done, bad))
    return bad


def summary(done: list[Mixture], bad: int) -> str:
    """How many programs were compared, and the largest."""
    blocks = [mixture.block for mixture in done]
    return (
        f"{len(done)} programs on {len(PATHS)} paths, {bad} differ; deepest nest "
        f"{max(map(depth_of, blocks))}, of loops {max(map(loop_depth, blocks))}, "
        f"most statements {max(map(size_of, blocks))}"
    )


if __name__ == "__main__":
    sys.exit(main() > 0)

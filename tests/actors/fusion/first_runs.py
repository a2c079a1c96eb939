"""Whether later runs give the bits of the first: each elementwise op, in several programs.

`python -m tests.actors.fusion.first_runs [--ops Erf,Relu6] [--dtypes float32,int32]` tries all ops
that are registered as elementwise, with more sizes and types than the test does.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import click
import numpy as np

import dataflow as tf
from dataflow.graph.apply_op import apply_op
from dataflow.kernels.contract import registry
from dataflow.kernels.load import load_generic
from dataflow.schema import opdef
from dataflow.values.dtypes import DType

BLOCK: Final = 1 << 17
"""Elements of a block of a cluster, at least."""
_LIST: Final = 3
"""Inputs where an op takes any number."""


class Case(NamedTuple):
    """A program with one op in it."""

    op: str
    dtype: str
    shape: tuple[int, ...]
    is_turned: bool = False
    """Its operands are transposed."""
    is_alone: bool = False
    """Nothing else is computed; otherwise it has elementwise nodes around it, and reductions."""
    number: int | None = None
    """Which operand is one number."""


def first_difference(
    build: Callable[..., Sequence[Any]], values: Sequence[Any], runs: int, threads: int = 2
) -> str:
    """Where a later run of a program differs from the first one; "" if none does.

    Args:
      build: Makes the fetches of placeholders.
      values: What is fed.
      runs: How many there are: two interpret the nodes, then layouts run in turns.
      threads: How many threads there are.
    """
    config = tf.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads
    )
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        places = [tf.placeholder(value.dtype, value.shape) for value in values]
        fetches = list(build(*places))
        session.run(tf.global_variables_initializer())
        feed = dict(zip(places, values, strict=True))
        first = [bits(found) for found in session.run(fetches, feed)]
        for run in range(1, runs):
            found = session.run(fetches, feed)
            for number, (one, other) in enumerate(zip(first, found, strict=True)):
                count = np.count_nonzero(one != bits(other))
                if count:
                    return f"run {run}, fetch {number}: {count} of {one.size} numbers differ"
    return ""


def bits(array: Any) -> Any:
    """The bits of each number, those of all NaNs taken as the same."""
    array = np.asarray(array)
    if array.dtype.kind in "fcV":
        array = np.where(array == array, array, array.dtype.type(np.nan))
    return np.ascontiguousarray(array).reshape(-1).view(f"V{array.itemsize}")


def elementwise_ops() -> list[str]:
    """The types of all ops with a kernel that is registered as elementwise."""
    load_generic()
    return sorted(
        op
        for op in opdef.registered_ops()
        for entry in [registry.find(op, "CPU", attrs(op, tf.float32))]
        if entry is not None and entry.elementwise
    )


def attrs(op: str, dtype: DType) -> dict[str, Any]:
    """The type attrs of an op for operands of a type, those of its result too if it must say."""
    known = opdef.find(op)
    assert known is not None
    given = {one.type_attr for one in known.inputs}
    return {
        one.name: dtype
        for one in known.attrs
        if one.kind == "type" and (one.name in given or not one.has_default)
    }


def operand_types(op: str, dtype: DType) -> list[DType] | None:
    """The types of its operands; None if it has no operands of this type."""
    known, own = opdef.find(op), attrs(op, dtype)
    assert known is not None
    if any(one.allowed and dtype not in one.allowed for one in known.attrs if one.name in own):
        return None
    if registry.find(op, "CPU", own) is None:
        return None
    found: list[DType] = []
    for one in known.inputs:
        given = one.dtype or own.get(one.type_attr, dtype)
        found += [given] * (_LIST if one.is_list else 1)
    return found


def make(op: str, dtype: DType, operands: Sequence[Any]) -> Any:
    """The op's result."""
    known, rest = opdef.find(op), iter(operands)
    assert known is not None
    inputs = [
        list(itertools.islice(rest, _LIST)) if one.is_list else next(rest) for one in known.inputs
    ]
    inferred = known.inferred_attrs
    own = {name: one for name, one in attrs(op, dtype).items() if name not in inferred}
    if any(one.name == "shape" for one in known.attrs):
        own["shape"] = operands[0].shape
    return apply_op(op, *inputs, **own)


def numbers(dtype: DType, shape: tuple[int, ...], seed: int) -> Any:
    """Operands: of floats zeros of both signs, infinities and NaNs in places; no integer is 0."""
    random, kind = np.random.default_rng(seed), np.dtype(dtype.as_numpy_dtype)
    if kind.kind == "b":
        return random.random(shape) < 0.5
    if kind.kind in "iu":
        return random.integers(1, 9, shape).astype(kind)
    found = (random.standard_normal(shape) * 3).astype(kind)
    flat = found.reshape(-1)
    flat[seed::7], flat[::5], flat[::11] = -0.0, 0.0, 6.0
    flat[len(flat) // 3], flat[2 * len(flat) // 3], flat[-1] = np.nan, np.inf, np.nan
    return found


def differs(case: Case, runs: int) -> str:
    """Where a later run of a case differs from the first one; "" if none does."""
    dtype = tf.as_dtype(case.dtype)
    types = operand_types(case.op, dtype)
    assert types is not None
    shapes = [() if place == case.number else case.shape for place in range(len(types))]
    values = [
        numbers(one, shape[::-1] if case.is_turned else shape, seed)
        for seed, (one, shape) in enumerate(zip(types, shapes, strict=True), 1)
    ]

    def build(*places: Any) -> list[Any]:
        operands = list(places)
        if case.is_turned:
            operands = [tf.transpose(x) if x.shape.rank else x for x in operands]
        if case.is_alone:
            return [make(case.op, dtype, operands)]
        made = make(case.op, dtype, [x * _two(x) if _is_number(x) else x for x in operands])
        if not _is_number(made):
            return [made]
        whole = made * _two(made)
        reduced = [whole]
        if made.dtype.is_floating:
            axes = [None, *range(len(case.shape) if case.shape[0] > 1 else 0)]
            of_each = (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min)
            reduced += [reduce(whole, axis) for axis in axes for reduce in of_each]
        return reduced

    return first_difference(build, values, runs)


def _is_number(tensor: Any) -> bool:
    return tensor.dtype.is_floating or tensor.dtype.is_complex or tensor.dtype.is_integer


def _two(tensor: Any) -> Any:
    return tf.constant(2, tensor.dtype)


def cases(op: str, dtype: str) -> Iterator[Case]:
    """Many programs."""
    types = operand_types(op, tf.as_dtype(dtype))
    if types is None:
        return
    sizes = (1, 7, 16, 33, 100, 257, 511, (1 << 16) + 13, BLOCK + 1, BLOCK + 4001, 2 * BLOCK + 4095)
    for size, is_alone in itertools.product(sizes, (False, True)):
        yield Case(op, dtype, (size,), is_alone=is_alone)
    for shape in ((5, 9), (257, 263), (513, 1037), (1, 1 << 18), (70001, 3), (2, 140001)):
        for is_turned, is_alone in itertools.product((False, True), repeat=2):
            yield Case(op, dtype, shape, is_turned, is_alone)
        for number in range(len(types) if len(types) > 1 else 0):
            yield Case(op, dtype, shape, number=number)


@click.command(context_settings={"show_default": True})
@click.option("--ops", default="", help="Ops, with commas between them; all if empty.")
@click.option("--dtypes", default="float32,float64", help="Types of their operands.")
@click.option("--runs", default=5, help="Runs of each program.")
def main(ops: str, dtypes: str, runs: int) -> None:
    """Tries all cases, and ends with status 1 if a run differs from the first one."""
    tried, failed, start = 0, 0, time.perf_counter()
    for op, dtype in itertools.product(
        ops.split(",") if ops else elementwise_ops(), dtypes.split(",")
    ):
        for case in cases(op, dtype):
            try:
                found = differs(case, runs)
            except tf.errors.InvalidArgumentError as error:
                # Some ops want operands of one shape.
                if case.number is None:
                    raise error
                continue
            except ValueError:
                if case.number is None:
                    raise
                continue
            tried += 1
            if found:
                failed += 1
                click.echo(f"{case}: {found}")
    click.echo(f"{tried} programs, {failed} differ, {time.perf_counter() - start:.0f} s")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

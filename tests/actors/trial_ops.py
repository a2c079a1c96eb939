"""Ops that only these tests have: tiny, with kernels that wait, fail, count or block on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dataflow.errors import CancelledError, ResourceExhaustedError
from dataflow.kernels.contract import registry
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import Variable
from dataflow.schema import opdef
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.values.shapes import TensorShape

_UNKNOWN = TensorShape.of(None)
PATIENCE = 60.0
"""Seconds that nothing takes, however busy the machine is."""

gates: dict[str, threading.Event] = {}
"""Events that TrialGate nodes wait for, by node name."""
barriers: dict[str, threading.Barrier] = {}
"""Barriers of TrialMeet nodes, by the attr `at`."""
functions: dict[str, Callable[[Any], Any]] = {}
"""What TrialCall nodes call, by node name."""
calls: list[str] = []
"""Names of the TrialNote nodes that ran, in order."""
parked: dict[str, Callable[..., None]] = {}
"""The `done` of TrialPark nodes that wait, by node name."""


def _define(name: str, inputs: str, outputs: str, *attrs: str, **flags: bool) -> None:
    count = len([part for part in outputs.split(",") if part.strip()])
    define_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=list(attrs),
        shape=lambda c: [_UNKNOWN] * max(count, c.num_outputs),
        gradient=NOT_DIFFERENTIABLE,
        doc="For tests.",
        **flags,
    )


def _define_ops() -> None:
    _define("TrialAdd", "a: T, b: T", "c: T", "T: type")
    _define("TrialMultiply", "a: T, b: T", "c: T", "T: type")
    _define("TrialNegate", "a: T", "c: T", "T: type")
    _define("TrialBoth", "a: T", "plus: T, twice: T", "T: type")
    _define("TrialSum", "a: N * T", "c: T", "T: type", "N: int >= 1")
    _define("TrialFan", "a: T", "c: N * T", "T: type", "N: int >= 1")
    _define("TrialView", "a: T", "c: T", "T: type")
    _define("TrialBig", "a: T", "c: T", "T: type")
    _define("TrialCheap", "a: T", "c: T", "T: type")
    _define("TrialFail", "a: T", "c: T", "T: type", "kind: string", "message: string")
    _define("TrialMeet", "a: T", "c: T", "T: type", "at: string")
    _define("TrialGate", "a: T", "c: T", "T: type")
    _define("TrialCall", "a: T", "c: T", "T: type", stateful=True)
    _define("TrialPark", "a: T", "c: T", "T: type", stateful=True)
    _define("TrialNote", "a: T", "c: T", "T: type", stateful=True)
    _define("TrialCount", "", "c: int64", stateful=True)
    _define("TrialVariable", "", "ref: Ref(T)", "T: type", stateful=True)
    _define(
        "TrialAssign",
        "ref: Ref(T), value: T",
        "out: Ref(T)",
        "T: type",
        allows_uninitialized_input=True,
    )
    _define("TrialStep", "a: T", "c: int64", "T: type", stateful=True)
    _define("TrialText", "", "c: string", stateful=True)


def _define_kernels() -> None:
    @kernel("TrialAdd")
    def add(node: KernelNode, xp: Any) -> Any:
        return np.add

    @kernel("TrialMultiply")
    def multiply(node: KernelNode, xp: Any) -> Any:
        return np.multiply

    @kernel("TrialNegate")
    def negate(node: KernelNode, xp: Any) -> Any:
        return np.negative

    @kernel("TrialBoth")
    def both(node: KernelNode, xp: Any) -> Any:
        return lambda a: (a + a.dtype.type(1), a * a.dtype.type(2))

    @kernel("TrialSum")
    def total(node: KernelNode, xp: Any) -> Any:
        return lambda *a: np.sum(np.stack(a), axis=0, dtype=a[0].dtype)

    @kernel("TrialFan")
    def fan(node: KernelNode, xp: Any) -> Any:
        count = node.attr("N")
        return lambda a: [a + a.dtype.type(i) for i in range(count)]

    @kernel("TrialView")
    def view(node: KernelNode, xp: Any) -> Any:
        return lambda a: a.reshape(-1)

    @kernel("TrialBig", cost=1.0)
    def big(node: KernelNode, xp: Any) -> Any:
        return np.add(0, 0) if xp is None else lambda a: a + a.dtype.type(1)

    @kernel("TrialCheap", cost=1e-6)
    def cheap(node: KernelNode, xp: Any) -> Any:
        return lambda a: a

    @kernel("TrialFail")
    def fail(node: KernelNode, xp: Any) -> Any:
        message = node.attr("message").decode()
        kinds: dict[bytes, type[BaseException]] = {
            b"value": ValueError,
            b"memory": MemoryError,
            b"key": KeyError,
            b"interrupt": KeyboardInterrupt,
        }

        def run(a: Any) -> Any:
            if node.attr("kind") == b"op":
                raise ResourceExhaustedError(None, None, message)
            raise kinds[node.attr("kind")](message)

        return run

    @kernel("TrialMeet", cost=1.0)
    def meet(node: KernelNode, xp: Any) -> Any:
        def run(a: Any) -> Any:
            barriers[node.attr("at").decode()].wait(PATIENCE)
            return a

        return run

    @kernel("TrialGate", cost=1.0)
    def gate(node: KernelNode, xp: Any) -> Any:
        def run(a: Any) -> Any:
            assert gates[node.name].wait(PATIENCE)
            return a

        return run

    @kernel("TrialCall")
    def call(node: KernelNode, xp: Any) -> Any:
        return lambda a: functions[node.name](a)

    @kernel("TrialPark", blocking=True)
    def park(node: KernelNode, xp: Any) -> Any:
        def run(step: Any, done: Callable[..., None], a: Any) -> None:
            def cancelled() -> None:
                parked.pop(node.name, None)
                done(error=CancelledError(None, None, "Parking was cancelled"))

            parked[node.name] = lambda value=a, **kw: done(value, **kw)
            step.on_cancel(cancelled)

        return run

    @kernel("TrialNote")
    def note(node: KernelNode, xp: Any) -> Any:
        def run(a: Any) -> Any:
            calls.append(node.name)
            return a

        return run

    @kernel("TrialCount")
    def count(node: KernelNode, xp: Any) -> Any:
        state = [0]

        def run() -> Any:
            state[0] += 1
            return np.int64(state[0])

        return run

    @kernel("TrialVariable")
    def variable(node: KernelNode, xp: Any) -> Any:
        dtype = node.attr("T")
        return lambda: node.resources.lookup_or_create(
            "", node.name, Variable, lambda: Variable(node.name, dtype)
        )

    @kernel("TrialAssign")
    def assign(node: KernelNode, xp: Any) -> Any:
        def run(cell: Variable, value: Any) -> Variable:
            owned = np.array(value)
            owned.flags.writeable = False
            cell.value = owned
            return cell

        return run

    @kernel("TrialStep", needs_step=True)
    def step_id(node: KernelNode, xp: Any) -> Any:
        return lambda step, a: np.int64(step.step_id)

    @kernel("TrialText")
    def text(node: KernelNode, xp: Any) -> Any:
        return lambda: np.array(b"text", object)


@contextmanager
def registered() -> Iterator[None]:
    """The ops are there inside."""
    _define_ops()
    _define_kernels()
    try:
        yield
    finally:
        for name in [n for n in opdef.registered_ops() if n.startswith("Trial")]:
            del opdef._OPS[name]
            del opdef._GRADIENTS[name]
        for key in [k for k in registry._KERNELS if k[0].startswith("Trial")]:
            del registry._KERNELS[key]

"""Random programs of all that says where an operation goes: branches, loops, dependencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st


@dataclass(frozen=True, slots=True)
class Step:
    """One statement; what the numbers choose depends on its kind."""

    kind: str
    numbers: tuple[int, int, int]
    blocks: tuple[tuple[Any, ...], ...] = ()


Block = tuple[Step, ...]

LEAVES = ("unary", "binary", "constant", "forget", "lift", "assert", "assign", "read", "noop")
NUMBERS = st.tuples(*[st.integers(0, 7)] * 3)
"""How many blocks a compound statement has."""
COMPOUND = {
    "after": 1,
    "scope": 1,
    "device": 1,
    "colocate": 1,
    "cond": 2,
    "case": 3,
    "while": 1,
    "pair": 2,
}
LEVELS = 4


def _steps(kind: str, blocks: st.SearchStrategy[Block]) -> st.SearchStrategy[Step]:
    count = COMPOUND[kind]
    return st.builds(Step, st.just(kind), NUMBERS, st.tuples(*[blocks] * count))


ORDERLY_STEPS = st.builds(
    Step,
    st.sampled_from([kind for kind in LEAVES if kind not in ("assert", "assign", "read")]),
    NUMBERS,
)
"""Those whose values and errors do not depend on what happens to run first."""
LEAF_STEPS = st.builds(Step, st.sampled_from(LEAVES), NUMBERS)
STRAY_STEPS = st.builds(Step, st.just("stray"), NUMBERS)


def programs(leaves: st.SearchStrategy[Step]) -> st.SearchStrategy[Block]:
    """Programs of these simple statements and of all compound ones, some levels deep."""
    blocks: st.SearchStrategy[Block] = st.lists(leaves, min_size=1, max_size=2).map(tuple)
    for _ in range(LEVELS):
        # Twice, for what the others are there to stand in.
        kinds = [*COMPOUND, "cond", "case", "while"]
        compound = st.one_of([_steps(kind, blocks) for kind in kinds])
        level = st.tuples(leaves, compound) | st.tuples(compound, leaves)
        blocks = blocks | level
    return st.tuples(compound, leaves)


class Builder:
    """Builds a program in a library; every value is a float scalar."""

    def __init__(self, library: Any) -> None:
        self._tf = library
        self._x = library.placeholder(library.float32, [], name="x")
        self._y = library.placeholder(library.float32, [], name="y")
        zeros = library.zeros_initializer()
        self._variables = [
            library.get_variable("ref", [], initializer=zeros, use_resource=False),
            library.get_variable("resource", [], initializer=zeros, use_resource=True),
        ]
        self._all = [self._x, self._y]
        self._waited = [self._x.op, self._y.op]

    def run(self, block: Block, values: list[Any] | None = None) -> Any:
        """Builds a block; returns its last value."""
        values = list(values or [self._x, self._y])
        for step in block:
            made = getattr(self, f"_{step.kind}")(step, values)
            values.append(made)
            self._all.append(made)
        return values[-1]

    def _unary(self, step: Step, values: list[Any]) -> Any:
        functions = (self._tf.exp, self._tf.negative, lambda a: a * 2.0, self._tf.identity)
        return functions[step.numbers[1] % 4](_pick(values, step))

    def _binary(self, step: Step, values: list[Any]) -> Any:
        a, b = _pick(values, step), values[-1 - step.numbers[1] % len(values)]
        return (a + b, a * b, self._tf.add_n([a, b, a]))[step.numbers[2] % 3]

    def _constant(self, step: Step, values: list[Any]) -> Any:
        return self._tf.constant(float(step.numbers[0]))

    def _forget(self, step: Step, values: list[Any]) -> Any:
        with self._tf.control_dependencies(None):
            outside = self._tf.constant(1.0)
        return outside + _pick(values, step)

    def _lift(self, step: Step, values: list[Any]) -> Any:
        with self._tf.init_scope():
            outside = self._tf.constant(1.0)
        return outside * _pick(values, step)

    def _stray(self, step: Step, values: list[Any]) -> Any:
        return self._tf.sin(self._all[step.numbers[0] % len(self._all)])

    def _assert(self, step: Step, values: list[Any]) -> Any:
        value = _pick(values, step)
        self._waited.append(self._tf.Assert(value < 100.0, [value, "text"]))
        return value

    def _noop(self, step: Step, values: list[Any]) -> Any:
        self._waited.append(self._tf.no_op())
        return values[-1]

    def _assign(self, step: Step, values: list[Any]) -> Any:
        variable = self._variables[step.numbers[1] % 2]
        assigned = variable.assign_add(_pick(values, step))
        self._waited.append(assigned.op)
        return values[-1]

    def _read(self, step: Step, values: list[Any]) -> Any:
        variable = self._variables[step.numbers[1] % 2]
        return variable.read_value() if step.numbers[2] % 2 else variable + _pick(values, step)

    def _after(self, step: Step, values: list[Any]) -> Any:
        waited = [_pick(values, step), self._waited[step.numbers[1] % len(self._waited)]]
        with self._tf.control_dependencies(waited[: 1 + step.numbers[2] % 2]):
            return self.run(step.blocks[0], values)

    def _scope(self, step: Step, values: list[Any]) -> Any:
        with self._tf.name_scope(f"scope{step.numbers[0] % 2}"):
            return self.run(step.blocks[0], values)

    def _device(self, step: Step, values: list[Any]) -> Any:
        with self._tf.device(f"/device:CPU:{step.numbers[0] % 2}"):
            return self.run(step.blocks[0], values)

    def _colocate(self, step: Step, values: list[Any]) -> Any:
        with self._tf.colocate_with(_pick(values, step)):
            return self.run(step.blocks[0], values)

    def _pair(self, step: Step, values: list[Any]) -> Any:
        pred = _pick(values, step) > 1.0
        results = self._tf.cond(
            pred,
            lambda: {"a": self.run(step.blocks[0], values), "b": [values[0]]},
            lambda: {"a": values[-1], "b": [self.run(step.blocks[1], values)]},
        )
        return results["a"] + results["b"][0]

    def _cond(self, step: Step, values: list[Any]) -> Any:
        pred = self._tf.less(_pick(values, step), float(step.numbers[1]))
        return self._tf.cond(
            pred, lambda: self.run(step.blocks[0], values), lambda: self.run(step.blocks[1], values)
        )

    def _case(self, step: Step, values: list[Any]) -> Any:
        value = _pick(values, step)
        pairs = [
            (value < 1.0, lambda: self.run(step.blocks[0], values)),
            (value > 5.0, lambda: self.run(step.blocks[1], values)),
        ]
        default = None if step.numbers[1] % 3 == 0 else lambda: self.run(step.blocks[2], values)
        return self._tf.case(pairs, default=default, exclusive=bool(step.numbers[2] % 2))

    def _while(self, step: Step, values: list[Any]) -> Any:
        limit = 3 if step.numbers[1] % 3 == 0 else None
        start = _pick(values, step)

        def body(i: Any, a: Any) -> Any:
            return [i + 1, self.run(step.blocks[0], [*values, a])]

        def goes_on(i: Any, a: Any) -> Any:
            return self._tf.logical_and(i < 4, a < values[0] + 50.0)

        return self._tf.while_loop(
            goes_on,
            body,
            [0, start],
            parallel_iterations=1 + step.numbers[2],
            maximum_iterations=limit,
        )[1]


def _pick(values: list[Any], step: Step) -> Any:
    return values[-1 - step.numbers[0] % len(values)]

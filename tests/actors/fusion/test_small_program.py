"""Instructions in registers: whatever a cluster looks like, its programs compute its value."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dataflow.actors.fusion.small.code import Code, UnsupportedError
from dataflow.actors.fusion.small.machine import OPERANDS, REGISTERS, Instructions, Machine, machine
from dataflow.actors.fusion.small.program import assemble

NUMPY: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "gt": np.greater,
    "where": np.where,
    "neg": np.negative,
    "cast": lambda x: x.astype(np.float64),
}


@pytest.fixture
def loaded() -> Machine:
    found = machine()
    assert found is not None
    return found


def expected(code: Code, value: int, operands: dict[int, np.ndarray]) -> Any:
    """The value as numpy computes it."""
    made: dict[int, Any] = dict(operands)
    made.update(code.constants)
    for number, instruction in enumerate(code.instructions):
        if instruction is not None:
            name = instruction.name.partition("_")[0]
            made[number] = NUMPY[name](*(made[a] for a in instruction.arguments))
    return made[value]


def computed(code: Code, value: int, operands: dict[int, np.ndarray], found: Machine) -> Any:
    """The value as the programs compute it; how many there are."""
    programs = assemble(code, value, found)
    assert programs is not None
    made: dict[int, Any] = dict(operands)
    for program in programs:
        instructions = program.instructions
        assert len(program.operands) == len(instructions.operands) <= OPERANDS
        used = len(instructions.operands) + len(instructions.constants)
        assert 1 + used + len(instructions.temporaries) <= REGISTERS
        made[program.result] = found.load(instructions)(*(made[v] for v in program.operands))
    return made[value], len(programs)


@pytest.mark.parametrize("seed", range(20))
def test_random_clusters(seed: int, loaded: Machine) -> None:
    source, numbers = random.Random(seed), np.random.default_rng(seed)
    code = Code(loaded)
    operands = {
        code.operand(np.dtype("f")): numbers.normal(size=5).astype("f")
        for _ in range(source.randint(1, 50))
    }
    floats, masks = list(operands), []
    floats += [code.constant(np.float32(k)) for k in range(source.randint(0, 40))]
    for _ in range(source.randint(1, 400)):
        x, y = source.choice(floats[-40:]), source.choice(floats)
        kind = source.random()
        if kind < 0.6:
            floats.append(code.apply(source.choice(["add", "sub", "mul"]), x, y))
        elif kind < 0.7:
            floats.append(code.apply("neg", x))
        elif kind < 0.85 or not masks:
            masks.append(code.apply("gt", x, y, result="b"))
        else:
            floats.append(code.apply("where", source.choice(masks), x, y))
    wide = code.apply("cast", code.apply("add", floats[-1], floats[0]), result="d")
    value = code.apply("mul", wide, wide)
    with np.errstate(all="ignore"):
        wanted = expected(code, value, operands)
    made, _ = computed(code, value, operands, loaded)
    np.testing.assert_array_equal(made, wanted)


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_long_clusters_are_cut_where_few_values_live(rows: int, loaded: Machine) -> None:
    """Sums side by side over more operands than a program takes."""
    numbers = np.random.default_rng(0)
    code = Code(loaded)
    operands = {code.operand(np.dtype("f")): numbers.normal(size=7).astype("f") for _ in range(300)}
    given = list(operands)
    sums = given[:rows]
    for position in range(rows, 300, rows):
        for row in range(rows):
            other = given[min(position + row, 299)]
            # Each looks at the one before it, so that none can be finished by itself.
            sums[row] = code.apply("add", code.apply("mul", sums[row - 1], other), other)
    value = sums[0]
    for row in sums[1:]:
        value = code.apply("sub", value, row)
    made, count = computed(code, value, operands, loaded)
    np.testing.assert_array_equal(made, expected(code, value, operands))
    assert count > 4


def test_a_cluster_with_many_values_at_its_waist_is_refused(loaded: Machine) -> None:
    numbers = np.random.default_rng(0)
    code = Code(loaded)
    operands = {code.operand(np.dtype("f")): numbers.normal(size=3).astype("f") for _ in range(120)}
    given = list(operands)
    halves = [code.apply("mul", x, y) for x, y in zip(given[:60], given[60:], strict=True)]
    value = halves[0]
    # In the order in which they are needed, each product is wanted again at the end.
    for half in [*halves[1:], *reversed(halves)]:
        value = code.apply("add", value, half)
    assert assemble(code, value, loaded) is None


def test_what_the_machine_does_not_know_is_refused(loaded: Machine) -> None:
    code = Code(loaded)
    with pytest.raises(UnsupportedError):
        code.operand(np.dtype(np.complex64))
    with pytest.raises(UnsupportedError):
        code.constant(np.uint8(3))
    whole = code.operand(np.dtype(np.int32))
    with pytest.raises(UnsupportedError):
        code.apply("sqrt", whole)
    # It has this one, but 1 / 0 is 0 there, and the least integer by -1 ends the process.
    with pytest.raises(UnsupportedError):
        code.apply("div", whole, whole)


def test_instructions_are_tried_before_they_are_used(loaded: Machine) -> None:
    def make(operands: bytes, temporaries: bytes, words: bytes, constants: Any) -> Any:
        """A machine whose sums are off by one bit for two pairs of operands."""
        if words[0] == 2:
            return np.multiply

        def add(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            made = x + y
            made[100:102] = np.nextafter(made[100:102], np.float32(0))
            return made

        return add

    opcodes = {b"noop": 0, b"add_fff": 1, b"mul_fff": 2}
    wrong = Machine(SimpleNamespace(NumExpr=make, opcodes=opcodes, funccodes={}))
    with np.errstate(all="ignore"):
        assert wrong.can("mul_fff")
        assert not wrong.can("add_fff")
    assert not wrong.can("sub_fff")
    assert loaded.can("add_fff")


def test_a_program_of_one_word(loaded: Machine) -> None:
    run = loaded.load(Instructions("ff", (), "", loaded.word("sub_fff", 0, (2, 1))))
    x, y = np.arange(6, dtype="f").reshape(2, 3), np.ones((2, 1), np.float32)
    np.testing.assert_array_equal(run(x, y), y - x)

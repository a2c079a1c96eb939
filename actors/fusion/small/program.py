"""Puts the instructions of a small cluster into registers, as programs that the machine runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from dataflow.actors.fusion.small.code import Code
from dataflow.actors.fusion.small.machine import OPERANDS, REGISTERS, Instructions, Machine

_CONSTANTS: Final = 100
_LIVE: Final = REGISTERS - 1 - OPERANDS - _CONSTANTS
"""Temporaries that a program may need at a time."""
_TAKEN: Final = OPERANDS - 4
"""Operands that a part of a cluster may take; its own results come on top."""
_CUT_EARLIER: Final = 0.5
"""The least part of what would fit that a program is made of, to hand on fewer values."""
_HANDED_ON: Final = 4
"""Values that a part of a long cluster may hand on: each takes a program of its own."""


class Program(NamedTuple):
    """A program, and where its operands come from."""

    operands: tuple[int, ...]
    """Values of the code, in the order of the registers."""
    result: int
    """The value it makes."""
    instructions: Instructions
    length: int
    """How many instructions it has,"""
    functions: int
    """and how many of them call a function for each element."""


def assemble(code: Code, result: int, machine: Machine) -> list[Program] | None:
    """Makes the programs that compute a value, one after the other.

    A cluster that is too long for one machine is cut where few values live: each of these has a
    program, and is an operand of later ones.

    Args:
      code: The code.
      result: The value.
      machine: What runs the programs.

    Returns:
      The programs; None if the cluster cannot be cut so.
    """
    order = _in_order(code, result, ())
    last_use = _last_uses(code, order)
    programs: list[Program] = []
    start = 0
    while start < len(order):
        stop, handed_on = _part(code, order, start, last_use)
        if len(handed_on) > _HANDED_ON:
            return None
        part = frozenset(order[start:stop])
        for value in handed_on or [result]:
            program = _program(code, value, part.difference(p.result for p in programs), machine)
            if program is None:
                return None
            programs.append(program)
        start = stop
    return programs


def _in_order(code: Code, result: int, known: Collection[int]) -> list[int]:
    """What has to be made for a value, in an order in which few values live at a time."""
    order: list[int] = []
    done = set(known)
    stack = [result]
    while stack:
        value = stack[-1]
        waiting = [a for a in _arguments(code, value) if a not in done]
        if value not in done and waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        if value not in done:
            done.add(value)
            if code.instructions[value] is not None:
                order.append(value)
    return order


def _arguments(code: Code, value: int) -> tuple[int, ...]:
    instruction = code.instructions[value]
    return () if instruction is None else instruction.arguments


def _last_uses(code: Code, order: Sequence[int]) -> dict[int, int]:
    """For each value the place in the order where it is used last."""
    return {argument: i for i, value in enumerate(order) for argument in _arguments(code, value)}


def _part(
    code: Code, order: Sequence[int], start: int, last_use: dict[int, int]
) -> tuple[int, list[int]]:
    """Where the part that begins at `start` ends, and the values that it hands on."""
    operands: set[int] = set()
    constants: set[int] = set()
    made: set[int] = set()
    live: set[int] = set()
    living: list[int] = []
    """How many values are handed on if the part ends after a place."""
    for place in range(start, len(order)):
        value = order[place]
        for argument in _arguments(code, value):
            if argument in code.constants:
                constants.add(argument)
            elif argument not in made:
                operands.add(argument)
            elif last_use[argument] == place:
                live.discard(argument)
        made.add(value)
        if last_use.get(value, -1) > place:
            live.add(value)
        if len(operands) > _TAKEN or len(constants) > _CONSTANTS or len(live) > _LIVE:
            break
        living.append(len(live))
    else:
        return len(order), []
    earliest = int(len(living) * _CUT_EARLIER)
    length = min(range(len(living), earliest, -1), key=lambda n: living[n - 1])
    stop = start + length
    return stop, [value for value in order[start:stop] if last_use.get(value, -1) >= stop]


def _program(code: Code, result: int, part: frozenset[int], machine: Machine) -> Program | None:
    """The program for a value: its operands are what is neither part of it nor constant.

    None if it needs more registers than there are.
    """
    known = sorted(i for i in _reached(code, result, part) if i not in part)
    order = _in_order(code, result, known)
    operands = [i for i in known if i not in code.constants]
    constants = [i for i in known if i in code.constants]
    places = {value: register for register, value in enumerate((*operands, *constants), 1)}
    first = len(places) + 1
    last_use = _last_uses(code, order)
    temporaries: list[str] = []
    # Nothing stands in the register of the result but what comes before it there.
    free = {code.types[result]: [0]}
    words: list[bytes] = []
    functions = 0
    for place, value in enumerate(order):
        instruction = code.instructions[value]
        assert instruction is not None
        registers = [places[argument] for argument in instruction.arguments]
        for argument in dict.fromkeys(instruction.arguments):
            register = places[argument]
            if last_use[argument] == place and not 0 < register < first:
                free.setdefault(code.types[argument], []).append(register)
        kind = code.types[value]
        if value == result:
            target = 0
        elif free.get(kind):
            target = free[kind].pop()
        else:
            target = first + len(temporaries)
            temporaries.append(kind)
        places[value] = target
        functions += machine.calls_function(instruction.name)
        words.append(machine.word(instruction.name, target, registers))
    if first + len(temporaries) > REGISTERS:
        return None
    instructions = Instructions(
        "".join(code.types[i] for i in operands),
        tuple(code.constants[i] for i in constants),
        "".join(temporaries),
        b"".join(words),
    )
    return Program(tuple(operands), result, instructions, len(order), functions)


def _reached(code: Code, result: int, part: frozenset[int]) -> dict[int, None]:
    """The values that a program for a value is made of, and those it starts from."""
    reached: dict[int, None] = {}
    stack = [result]
    while stack:
        value = stack.pop()
        if value in reached:
            continue
        reached[value] = None
        if value in part:
            stack += reversed(_arguments(code, value))
    return reached

"""Evaluates random mixtures in plain Python, and their derivatives by a complex step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.control_flow.random_graphs.mixtures import BINARY, UNARY, Block, Mixture, Step, pick

_STEP = 1e-30
"""So small that the imaginary part of f(x + ih) / h is f'(x) to the last digit."""


@dataclass(frozen=True)
class Outcome:
    """What a program computes: its loss, the variables after it, and the derivatives of the loss.

    `slopes` has the derivative along each direction: of both inputs and both variables.
    """

    loss: float
    variables: list[np.ndarray]
    slopes: list[float]


@dataclass
class Tape:
    """What a run decided and read, so that derivatives are taken with both held fixed.

    TensorFlow's gradients do not see what a variable is assigned, nor what a condition depends on.
    """

    recorded: list[Any] = field(default_factory=list)
    replayed: Iterator[Any] | None = None

    def keep(self, value: Any) -> Any:
        """The value, or in a run after the first what it was there."""
        if self.replayed is not None:
            return next(self.replayed)
        self.recorded.append(value)
        return value


def evaluate(mixture: Mixture, directions: np.ndarray, start: np.ndarray | None = None) -> Outcome:
    """The outcome of a program with the matrices it is fed, or others."""
    start, tape = mixture.matrices() if start is None else start, Tape()
    loss, variables = _run(mixture, start, np.zeros_like(start), tape)
    slopes = []
    for index, direction in enumerate(directions):
        moved = np.zeros_like(start)
        moved[index] = direction
        replay = Tape(replayed=iter(tape.recorded))
        slopes.append(_run(mixture, start, moved, replay)[0].imag / _STEP)
    return Outcome(loss.real, [each.real for each in variables], slopes)


def _run(
    mixture: Mixture, start: np.ndarray, moved: np.ndarray, tape: Tape
) -> tuple[complex, list[np.ndarray]]:
    evaluator = _Evaluator(mixture.trips, list(start[2:]), moved[2:] * 1j * _STEP, tape)
    values = evaluator.run(mixture.block, list(start[:2] + moved[:2] * 1j * _STEP))
    loss = np.sum(np.sin(values[-1])) + np.sum(values[-2] * values[-2])
    return loss, evaluator.variables


class _Evaluator:
    def __init__(
        self, trips: int, variables: list[np.ndarray], moved: np.ndarray, tape: Tape
    ) -> None:
        self.variables = variables
        self._trips = trips
        self._moved = moved
        self._tape = tape

    def run(self, block: Block, values: list[Any], counter: int | None = None) -> list[Any]:
        """All values after a block, newest last."""
        values = list(values)
        for step in block:
            made = getattr(self, f"_{step.kind}")(step, values, counter)
            if made is not None:
                values.append(made)
        return values

    def _unary(self, step: Step, values: list[Any], counter: int | None) -> Any:
        return UNARY[step.numbers[2] % len(UNARY)][1](pick(values, step.numbers[0]))

    def _binary(self, step: Step, values: list[Any], counter: int | None) -> Any:
        first, second = (pick(values, number) for number in step.numbers[:2])
        return BINARY[step.numbers[2] % len(BINARY)][1](first, second)

    def _counted(self, step: Step, values: list[Any], counter: int | None) -> Any:
        number = self._trips if counter is None else counter
        return pick(values, step.numbers[0]) * (0.25 * number) + 0.125

    def _read(self, step: Step, values: list[Any], counter: int | None) -> Any:
        index = step.numbers[2] % 2
        read = self._tape.keep(self.variables[index]) + self._moved[index]
        return read * 0.5 + pick(values, step.numbers[0]) * 0.25

    def _assign(self, step: Step, values: list[Any], counter: int | None) -> None:
        index, value = step.numbers[2] % 2, pick(values, step.numbers[0])
        if step.numbers[3] % 3:
            self.variables[index] = self.variables[index] + value * 0.25
        else:
            self.variables[index] = value * 1.5

    def _check(self, step: Step, values: list[Any], counter: int | None) -> None:
        pass

    def _cond(self, step: Step, values: list[Any], counter: int | None) -> Any:
        taken = self._decide(step, values, counter)
        return self.run(step.blocks[0 if taken else 1], values, counter)[-1]

    def _decide(self, step: Step, values: list[Any], counter: int | None) -> bool:
        number, _, kind, limit = step.numbers
        if kind % 3 == 0:
            return bool((self._trips if counter is None else counter) % 2 == 0)
        if kind % 3 == 1:
            return bool(self._trips > limit % 3)
        return bool(self._tape.keep(np.mean(pick(values, number).real) > (limit - 5) * 0.1))

    def _case(self, step: Step, values: list[Any], counter: int | None) -> Any:
        mean = self._tape.keep(np.mean(pick(values, step.numbers[0]).real))
        edge = (step.numbers[3] - 5) * 0.1
        chosen = 0 if mean < edge else 1 if mean > edge + 0.2 else 2
        return self.run(step.blocks[chosen], values, counter)[-1]

    def _loop(self, step: Step, values: list[Any], counter: int | None) -> Any:
        first, second = (pick(values, number) for number in step.numbers[:2])
        trips, by_value = self._trip_count(step, counter)
        if step.numbers[1] % 3 == 0:
            trips = min(trips, 2)
        for index in range(trips):
            if by_value and not self._tape.keep(np.mean(first.real) < 0.3):
                break
            inside = self.run(step.blocks[0], [*values, first, second], index)
            first, second = inside[-1], np.sin(inside[-2])
        return first * 0.5 + second * 0.5

    def _trip_count(self, step: Step, counter: int | None) -> tuple[int, bool]:
        kind, number = step.numbers[2] % 4, step.numbers[3]
        if kind == 0:
            return number % 4, False
        if kind == 1:
            return self._trips, False
        if kind == 2:
            return self._trips if counter is None else counter, False
        return 3, True

    def _array(self, step: Step, values: list[Any], counter: int | None) -> Any:
        written = [pick(values, step.numbers[0])]
        trips, _ = self._trip_count(step, counter)
        value = pick(values, step.numbers[1])
        for index in range(trips):
            back = written[index] if step.numbers[3] % 2 else value
            value = self.run(step.blocks[0], [*values, back, value], index)[-1]
            written.append(value)
        how = step.numbers[2] % 5
        if how == 0:
            return np.mean(written, axis=0)
        if how == 1:
            return written[trips] + written[0] * 0.5
        if how == 2:
            rows = np.concatenate(written)
            return rows[-2:] + rows[:2] * 0.5
        if how == 3:
            return written[trips]
        total = written[0] * 0.0
        for each in written:
            total = np.sin(total + each)
        return total

    def _elements(self, step: Step, values: list[Any], counter: int | None) -> list[Any]:
        base, other = (pick(values, number) for number in step.numbers[:2])
        if step.numbers[2] % 2:
            return [base, other]
        number = 1 + (self._trips if counter is None else counter)
        return [base * (0.5 * index) for index in range(number)]

    def _map(self, step: Step, values: list[Any], counter: int | None) -> Any:
        elements = self._elements(step, values, counter)
        if step.numbers[3] % 2:
            results = [
                self.run(step.blocks[0], [*values, e, e * 2.0], counter)[-1] for e in elements
            ]
        else:
            results = [self.run(step.blocks[0], [*values, e], counter)[-1] for e in elements]
        return np.mean(results, axis=0)

    def _scan(self, step: Step, values: list[Any], counter: int | None) -> Any:
        state, states = pick(values, 0), []
        elements = self._elements(step, values, counter)
        for element in reversed(elements) if step.numbers[3] % 2 else elements:
            state = self.run(step.blocks[0], [*values, element, state], counter)[-1]
            states.append(state)
        return np.mean(states, axis=0)

    def _fold(self, step: Step, values: list[Any], counter: int | None) -> Any:
        state = pick(values, 0)
        elements = self._elements(step, values, counter)
        for element in reversed(elements) if step.numbers[3] % 2 else elements:
            state = self.run(step.blocks[0], [*values, element, state], counter)[-1]
        return state

    def _after(self, step: Step, values: list[Any], counter: int | None) -> Any:
        return self.run(step.blocks[0], values, counter)[-1]

"""Builds random mixtures as graphs of a library."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from tests.control_flow.random_graphs.mixtures import (
    BINARY,
    UNARY,
    Block,
    Mixture,
    Step,
    has_effects,
    pick,
)


@dataclass(frozen=True)
class Built:
    """What is fetched from a graph, or run.

    `gradients` has those of the loss by both inputs and both variables; None is none.
    """

    loss: Any
    gradients: list[Any]
    finished: Any
    """Is there when the last effect is."""
    initializer: Any
    variables: list[Any]


def build(tf: Any, mixture: Mixture, dtype: str = "float64", *, colocate: bool = False) -> Built:
    """Builds a program, its loss and the gradients into the default graph."""
    shape = ([None] * 2, [2, 2])[mixture.rank - 1] if mixture.rank else None
    inputs = [tf.placeholder(dtype, shape, name=name) for name in ("x", "w")]
    trips = tf.placeholder(tf.int32, [], name="n")
    variables = [
        tf.get_variable(name, initializer=tf.constant(value, dtype), use_resource=mixture.resource)
        for name, value in zip(("v", "u"), mixture.matrices()[2:], strict=True)
    ]
    builder = _Builder(tf, trips, variables, inputs[0].shape, has_effects(mixture.block))
    values = builder.run(mixture.block, inputs)
    loss = tf.add(
        tf.reduce_sum(tf.sin(values[-1])), tf.reduce_sum(values[-2] * values[-2]), name="loss"
    )
    gradients = tf.gradients(loss, [*inputs, *variables], colocate_gradients_with_ops=colocate)
    named = [
        None if each is None else tf.identity(tf.convert_to_tensor(each), name=f"gradient_{index}")
        for index, each in enumerate(gradients)
    ]
    finished = tf.identity(builder.token, name="finished")
    initializer = tf.global_variables_initializer()
    reads = [variable.read_value() for variable in variables]
    return Built(loss, named, finished, initializer, reads)


class _Builder:
    """Builds blocks.

    A token goes along with the values: it is there when all effects before it are. Without it the
    order of reads and assignments would be chance.
    """

    def __init__(
        self, library: Any, trips: Any, variables: Sequence[Any], shape: Any, ordered: bool
    ) -> None:
        self.token = library.constant(0)
        self._tf = library
        self._dtype = variables[0].dtype.base_dtype
        self._trips = trips
        self._variables = variables
        self._shape = shape
        self._ordered = ordered

    def run(self, block: Block, values: Sequence[Any], counter: Any = None) -> list[Any]:
        """All values after a block, newest last."""
        known = list(values)
        for step in block:
            with self._at(step):
                made = getattr(self, f"_{step.kind}")(step, known, counter)
            if made is not None:
                made.set_shape(self._shape)
                known.append(made)
        return known

    def _at(self, step: Step) -> AbstractContextManager[Any]:
        found: AbstractContextManager[Any] = self._tf.device(
            None if step.place < 0 else f"/device:CPU:{step.place}"
        )
        return found

    def _last(self, block: Block, values: Sequence[Any], counter: Any, token: Any) -> list[Any]:
        """What a body returns: the newest value and, where order matters, the token after it."""
        if not self._ordered:
            return self.run(block, values, counter)[-1:]
        self.token = self._tf.identity(token)
        return [self.run(block, values, counter)[-1], self.token]

    def _take(self, results: Any) -> Any:
        """The value among the results of a construct; its token is the next one."""
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        if self._ordered:
            self.token = results[1]
        return results[0]

    @contextmanager
    def _in_order(self) -> Iterator[None]:
        """Puts an effect after the others; the effect must leave the next token."""
        with self._tf.control_dependencies([self._tf.identity(self.token)]):
            yield

    def _done(self, *results: Any) -> None:
        with self._tf.control_dependencies(list(results)):
            self.token = self._tf.identity(self.token)

    def _number(self, counter: Any) -> Any:
        return self._trips if counter is None else counter

    def _unary(self, step: Step, values: list[Any], counter: Any) -> Any:
        return UNARY[step.numbers[2] % len(UNARY)][0](self._tf, pick(values, step.numbers[0]))

    def _binary(self, step: Step, values: list[Any], counter: Any) -> Any:
        first, second = (pick(values, number) for number in step.numbers[:2])
        return BINARY[step.numbers[2] % len(BINARY)][0](self._tf, first, second)

    def _counted(self, step: Step, values: list[Any], counter: Any) -> Any:
        number = self._tf.cast(self._number(counter), self._dtype)
        return pick(values, step.numbers[0]) * (0.25 * number) + 0.125

    def _read(self, step: Step, values: list[Any], counter: Any) -> Any:
        with self._in_order():
            # The product is a value of its own: TensorFlow's read may share the variable's buffer.
            read = self._variables[step.numbers[2] % 2].read_value() * 0.5
        self._done(read)
        return read + pick(values, step.numbers[0]) * 0.25

    def _assign(self, step: Step, values: list[Any], counter: Any) -> None:
        variable, value = self._variables[step.numbers[2] % 2], pick(values, step.numbers[0])
        assign = variable.assign_add if step.numbers[3] % 3 else variable.assign
        change = value * (0.25 if step.numbers[3] % 3 else 1.5)
        change.set_shape([2, 2])
        with self._in_order():
            self._done(assign(change).op)

    def _check(self, step: Step, values: list[Any], counter: Any) -> None:
        value = pick(values, step.numbers[0])
        with self._in_order():
            self._done(self._tf.Assert(self._tf.reduce_all(value < 1e6), [value], name="check"))

    def _cond(self, step: Step, values: list[Any], counter: Any) -> Any:
        token = self.token
        results = self._tf.cond(
            self._decide(step, values, counter),
            lambda: self._last(step.blocks[0], values, counter, token),
            lambda: self._last(step.blocks[1], values, counter, token),
        )
        return self._take(results)

    def _decide(self, step: Step, values: list[Any], counter: Any) -> Any:
        number, _, kind, limit = step.numbers
        if kind % 3 == 0:
            return self._tf.equal(self._number(counter) % 2, 0)
        if kind % 3 == 1:
            return self._trips > limit % 3
        return self._tf.reduce_mean(pick(values, number)) > (limit - 5) * 0.1

    def _case(self, step: Step, values: list[Any], counter: Any) -> Any:
        mean, token = self._tf.reduce_mean(pick(values, step.numbers[0])), self.token
        edge = (step.numbers[3] - 5) * 0.1

        def branch(index: int) -> Callable[[], list[Any]]:
            return lambda: self._last(step.blocks[index], values, counter, token)

        pairs = [(mean < edge, branch(0)), (mean > edge + 0.2, branch(1))]
        return self._take(self._tf.case(pairs, default=branch(2)))

    def _loop(self, step: Step, values: list[Any], counter: Any) -> Any:
        tf = self._tf
        trips, by_value = self._trip_count(step, counter)

        def goes_on(index: Any, both: Any, *token: Any) -> Any:
            more = index < trips
            if by_value:
                more = tf.logical_and(more, tf.reduce_mean(both["first"]) < 0.3)
            return more

        def body(index: Any, both: Any, *token: Any) -> Any:
            known = [*values, both["first"], both["second"]]
            if self._ordered:
                self.token = tf.identity(token[0])
            inside = self.run(step.blocks[0], known, index)
            both = {"first": inside[-1], "second": tf.sin(inside[-2])}
            return [index + 1, both, *([self.token] if self._ordered else [])]

        first, second = (pick(values, number) for number in step.numbers[:2])
        scalar = tf.TensorShape([])
        results = tf.while_loop(
            goes_on,
            body,
            [0, {"first": first, "second": second}, *([self.token] if self._ordered else [])],
            shape_invariants=[
                scalar,
                {"first": self._shape, "second": self._shape},
                *([scalar] if self._ordered else []),
            ],
            parallel_iterations=(1, 2, 10, 32)[step.numbers[0] % 4],
            swap_memory=bool(step.numbers[3] % 2),
            maximum_iterations=2 if step.numbers[1] % 3 == 0 else None,
        )
        both = self._take(results[1:])
        return both["first"] * 0.5 + both["second"] * 0.5

    def _trip_count(self, step: Step, counter: Any) -> tuple[Any, bool]:
        kind, number = step.numbers[2] % 4, step.numbers[3]
        if kind == 0:
            return number % 4, False
        if kind == 1:
            return self._trips, False
        if kind == 2:
            return self._number(counter), False
        return 3, True

    def _array(self, step: Step, values: list[Any], counter: Any) -> Any:
        tf = self._tf
        trips, _ = self._trip_count(step, counter)
        dynamic = step.numbers[0] % 2 == 0
        array = tf.TensorArray(
            self._dtype, 0 if dynamic else trips + 1, dynamic, clear_after_read=False
        ).write(0, pick(values, step.numbers[0]))

        def body(index: Any, array: Any, value: Any, *token: Any) -> Any:
            back = array.read(index) if step.numbers[3] % 2 else value
            back.set_shape(self._shape)
            newest, *token = self._last(
                step.blocks[0], [*values, back, value], index, token[0] if token else 0
            )
            return [index + 1, array.write(index + 1, newest), newest, *token]

        scalar = tf.TensorShape([])
        results = tf.while_loop(
            lambda index, *_: index < trips,
            body,
            [0, array, pick(values, step.numbers[1]), *([self.token] if self._ordered else [])],
            shape_invariants=[
                scalar,
                scalar if not hasattr(array, "flow") else array.flow.shape,
                self._shape,
                *([scalar] if self._ordered else []),
            ],
        )
        array = self._take(results[1:2] + results[3:])
        return self._from_array(step, array, trips)

    def _from_array(self, step: Step, array: Any, trips: Any) -> Any:
        tf = self._tf
        how = step.numbers[2] % 5
        if how == 0:
            return tf.reduce_mean(array.stack(), 0)
        if how == 1:
            # Each once: gradients of what is gathered twice are not added up in TensorFlow's lists.
            return array.gather([trips])[0] + array.read(0) * 0.5
        if how == 2:
            rows = array.concat()
            return rows[-2:] + rows[:2] * 0.5
        if how == 3:
            return array.read(trips)
        first = array.read(0) * 0.0
        first.set_shape(self._shape)
        return tf.while_loop(
            lambda index, total: index <= trips,
            lambda index, total: [index + 1, tf.sin(total + array.read(index))],
            [0, first],
            shape_invariants=[tf.TensorShape([]), self._shape],
        )[1]

    def _elements(self, step: Step, values: list[Any], counter: Any) -> Any:
        tf = self._tf
        base, other = (pick(values, number) for number in step.numbers[:2])
        if step.numbers[2] % 2:
            return tf.stack([base, other])
        numbers = tf.cast(tf.range(1 + self._number(counter)), self._dtype)
        return base * (0.5 * tf.reshape(numbers, [-1, 1, 1]))

    def _map(self, step: Step, values: list[Any], counter: Any) -> Any:
        elements, token = self._elements(step, values, counter), self.token
        pairs = step.numbers[3] % 2

        def body(element: Any) -> Any:
            known = list(element) if pairs else [element]
            for each in known:
                each.set_shape(self._shape)
            return self._last(step.blocks[0], [*values, *known], counter, token)[0]

        results = self._tf.map_fn(
            body,
            (elements, elements * 2.0) if pairs else elements,
            dtype=self._dtype,
            parallel_iterations=(1, 10)[step.numbers[0] % 2],
        )
        self.token = token
        if self._ordered:
            self._done(results)
        return self._tf.reduce_mean(results, 0)

    def _scan(self, step: Step, values: list[Any], counter: Any) -> Any:
        results = self._tf.scan(
            self._accumulate(step, values, counter),
            self._elements(step, values, counter),
            self._initial(values),
            reverse=bool(step.numbers[3] % 2),
        )
        states = self._take(results)
        if self._ordered:
            self.token = self.token[0 if step.numbers[3] % 2 else -1]
        return self._tf.reduce_mean(states, 0)

    def _fold(self, step: Step, values: list[Any], counter: Any) -> Any:
        fold = self._tf.foldr if step.numbers[3] % 2 else self._tf.foldl
        accumulate = self._accumulate(step, values, counter)
        elements = self._elements(step, values, counter)
        return self._take(fold(accumulate, elements, self._initial(values)))

    def _initial(self, values: list[Any]) -> Any:
        return (values[-1], self.token) if self._ordered else values[-1]

    def _accumulate(self, step: Step, values: list[Any], counter: Any) -> Callable[..., Any]:
        def body(state: Any, element: Any) -> Any:
            state, token = state if self._ordered else (state, 0)
            for each in (element, state):
                each.set_shape(self._shape)
            results = self._last(step.blocks[0], [*values, element, state], counter, token)
            results[0].set_shape(state.shape)
            return tuple(results) if self._ordered else results[0]

        return body

    def _after(self, step: Step, values: list[Any], counter: Any) -> Any:
        with self._tf.control_dependencies([pick(values, step.numbers[0])]):
            return self._tf.identity(self.run(step.blocks[0], values, counter)[-1])

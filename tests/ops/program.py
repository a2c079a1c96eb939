"""Program rows: small programs of several steps, for ops that one call cannot show.

A program is a generator `f(tf, v)`: it receives a library and values of the element type under
test, builds with public names, and yields steps:

    def counts(tf, v):
        counter = v.variable(0, resource=False)
        up = tf.count_up_to(counter, 1)
        yield run(counter.initializer)
        yield run(up)
        yield fails("OutOfRangeError", "Reached limit of 1", up)

It is built to its end before its first step runs, so that its graph can run in the other library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, Values
from tests.ops.knowledge import LEVELS, STATIC, Knowledge

ALIKE = "alike"
"""In place of the class of an error: that of the other library's."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One `session.run` of a program, or one call that building refuses."""

    fetches: tuple[Any, ...] = ()
    """Tensors, operations and variables."""
    feeds: Mapping[Any, Any] = field(default_factory=dict)
    session: str = ""
    """Steps of one name share a session; their variables are not those of another."""
    error: str = ""
    """The class of the error with which the step fails, or `ALIKE`."""
    text: str = ""
    """What both error texts say, as a regular expression."""
    runs: bool = True
    """False where only what building infers is looked at."""
    refusal: Exception | None = None
    """What building raised."""
    loss: Any = None
    """The scalar whose gradients are fetched."""
    sources: tuple[Any, ...] = ()
    """With respect to what."""
    present: tuple[bool, ...] = ()
    """Which of the gradients there are."""


def run(*fetches: Any, feeds: Mapping[Any, Any] | None = None, session: str = "") -> Step:
    """A step whose values are compared."""
    return Step(fetches, feeds or {}, session)


def infers(*tensors: Any) -> Step:
    """Only static types and shapes are compared, and nothing runs."""
    return Step(tensors, runs=False)


def fails(
    error: str,
    text: str,
    *fetches: Any,
    feeds: Mapping[Any, Any] | None = None,
    session: str = "",
) -> Step:
    """A step that fails in both libraries, with an error of this class whose text says `text`."""
    return Step(fetches, feeds or {}, session, error, text)


def fails_alike(*fetches: Any, session: str = "") -> Step:
    """A step that fails in both libraries with the same class of error, and the same text."""
    return Step(fetches, session=session, error=ALIKE)


def refused_alike(build: Callable[[], Any]) -> Step:
    """A call that both libraries refuse while building, with the same error."""
    return refused(ALIKE, "", build)


def refused(error: str, text: str, build: Callable[[], Any]) -> Step:
    """A call that both libraries refuse while building."""
    try:
        build()
    except Exception as refusal:
        return Step(error=error, text=text, refusal=refusal)
    raise AssertionError(f"The call that {text!r} should refuse is taken.")


def slopes(tf: Any, ys: Sequence[Any], xs: Sequence[Any]) -> Step:
    """The gradients of a number made of `ys` with respect to fed tensors and variables.

    They are compared with TensorFlow's and, in float64, with finite differences.
    """
    loss = loss_of(tf, ys)
    found = tf.gradients(loss, list(xs))
    present = tuple(g is not None for g in found)
    fetches = tuple(tf.convert_to_tensor(g) for g in found if g is not None)
    return Step(fetches, loss=loss, sources=tuple(xs), present=present)


def slopes_refused(tf: Any, error: str, text: str, ys: Sequence[Any], xs: Sequence[Any]) -> Step:
    """Gradients that both libraries refuse to build."""
    loss = loss_of(tf, ys)
    step = refused(error, text, lambda: tf.gradients(loss, list(xs)))
    return Step(error=error, text=text, refusal=step.refusal, loss=loss, sources=tuple(xs))


def loss_of(tf: Any, ys: Sequence[Any]) -> Any:
    """The sum of y * (y + 1): each element has a slope of its own, whatever the shape."""
    return tf.add_n([tf.reduce_sum(y * (y + tf.ones([], y.dtype.base_dtype))) for y in ys])


class Inputs(Values):
    """The values that a program works on, as tensors and variables of one library."""

    def __init__(self, tf: Any, dtype: str, knowledge: Knowledge = STATIC) -> None:
        super().__init__(dtype)
        self.tf = tf
        self.element = tf.as_dtype(dtype)
        self.values: list[tuple[Any, np.ndarray]] = []
        """Tensors that stand for inputs, and what they hold unless a step feeds them."""
        self.variables: list[tuple[Any, Any]] = []
        """Variables, and the tensors from which their initializers take their values."""
        self.knows = False
        """Whether building depends on how much it knows of the inputs' shapes."""
        self.told: list[str] = []
        """What it knows of them."""
        self._knowledge = knowledge
        self._handles = 0

    def fed(self, value: Any, dtype: Any = None) -> Any:
        """A tensor whose static shape says as much as the knowledge under test does."""
        self.knows = True
        array = self.array(value, dtype)
        shape = self._knowledge(len(self.values), array.shape)
        self.told.append(str(shape))
        return self._placed(array, shape)

    def known(self, value: Any, dtype: Any = None) -> Any:
        """A tensor whose value building does not know, but its shape."""
        array = self.array(value, dtype)
        return self._placed(array, array.shape)

    def hidden(self, value: Any, dtype: Any = None) -> Any:
        """A tensor of which building knows nothing, for errors that only the step can find."""
        return self._placed(self.array(value, dtype), None)

    def constant(self, value: Any, dtype: Any = None) -> Any:
        """A constant of the graph."""
        array = self.array(value, dtype)
        return self.tf.constant(array, dtype=self._type(array), shape=array.shape)

    def variable(self, value: Any, resource: bool, dtype: Any = None, **options: Any) -> Any:
        """A variable that starts with a value."""
        initial = self.known(value, dtype)
        made = self.tf.Variable(initial, use_resource=resource, trainable=False, **options)
        self.variables.append((made, initial))
        return made

    def handle(self, shape: Any, dtype: Any = None) -> Any:
        """A handle of a variable of its own; of those without a name there is one."""
        self._handles += 1
        return self.tf.raw_ops.VarHandleOp(
            shape=shape, dtype=dtype or self.element, shared_name=f"{self.name}_{self._handles}"
        )

    def initializers(self) -> Step:
        """A step that initializes all variables made so far."""
        return run(*(variable.initializer for variable, _ in self.variables))

    def array(self, value: Any, dtype: Any = None) -> np.ndarray:
        """An array; Python numbers get the element type under test unless `dtype` says another."""
        if isinstance(value, (np.ndarray, np.generic)) and dtype is None:
            return np.asarray(value)
        return np.asarray(value, self.dtype if dtype is None else dtype)

    def _placed(self, array: np.ndarray, shape: Any) -> Any:
        default = self.tf.constant(array, dtype=self._type(array), shape=array.shape)
        tensor = self.tf.placeholder_with_default(default, shape)
        self.values.append((tensor, array))
        return tensor

    def _type(self, array: np.ndarray) -> Any:
        return self.tf.as_dtype("string" if array.dtype == object else array.dtype)


TIGHT = {"float32": 2e-6, "complex64": 2e-6, "float64": 1e-12, "complex128": 1e-12}
"""Tolerances for what rounds once or twice."""
Build = Callable[[Any, Inputs], Iterable[Step]]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """One row: the ops that a program shows, and the program. Equal only to itself."""

    ops: str
    """The op types that this row is for, with spaces between them."""
    build: Build
    dtypes: tuple[str, ...] = FLOAT32_64
    label: str = ""
    rtol: float | Mapping[str, float] | None = None
    """The relative tolerance, or that by element type; the usual one where it says nothing."""
    atol: float | Mapping[str, float] | None = None
    gradients: bool = False
    """Whether the program yields slopes."""
    numeric: bool = True
    """False where finite differences do not apply to them."""
    shapes: Sequence[Knowledge] = LEVELS
    """Where static shapes are TensorFlow's; a comment at the row says why not everywhere."""
    crosses: bool = True
    """False where a GraphDef does not say all; a comment at the row says what it lacks."""
    cpus: int = 1
    """How many CPU devices the sessions have."""

    @property
    def id(self) -> str:
        """The row's name in test reports."""
        name = getattr(self.build, "__name__", "").strip("_").replace("<lambda>", "")
        return "-".join(part for part in (self.ops.split()[0], name, self.label) if part)

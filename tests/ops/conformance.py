"""Drives one case through TensorFlow and through this library and compares what comes out."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow import raw_ops
from dataflow.schema import opdef
from tests.ops.batches import of_row
from tests.ops.case import Bad, Case, Values
from tests.ops.knowledge import STATIC, UNKNOWN, Knowledge
from tests.ops.program import Program
from tests.oracle import open_session

oracle.disable_v2_behavior()

_TOLERANCE = {
    "float32": 2e-5,
    "float64": 1e-9,
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "complex64": 2e-5,
    "complex128": 1e-9,
}


class Built:
    """A case's op in a graph of one of the two libraries, with its feeds."""

    def __init__(
        self,
        library: Any,
        case: Case,
        dtype: str,
        knowledge: Knowledge,
        args: Sequence[Any],
        made: dict[Any, Any] | None = None,
    ) -> None:
        """Builds the op; an input that `made` has, by position and static shape, serves again."""
        self.library = library
        self._made = {} if made is None else made
        self.inputs: list[Any] = []
        self.values: list[np.ndarray] = []
        self.feeds: dict[Any, np.ndarray] = {}
        definition = opdef.find(case.op)
        assert definition is not None, f"op {case.op} is not defined"
        keywords: dict[str, Any] = {}
        for position, (arg, value) in enumerate(zip(definition.inputs, args, strict=True)):
            fixed = position in case.static
            keyword = raw_ops.python_name(case.op, arg.name)
            if isinstance(value, list):
                keywords[keyword] = [self._input(v, fixed, knowledge) for v in value]
            else:
                keywords[keyword] = self._input(value, fixed, knowledge)
        attrs = dict(case.attrs)
        if case.type_attr:
            attrs[case.type_attr] = dtype
        outputs = getattr(library.raw_ops, case.op)(**keywords, **attrs)
        self.all_outputs = flatten(outputs)
        self.outputs = self.all_outputs
        if case.outputs is not None:
            self.outputs = [self.outputs[i] for i in case.outputs]

    def _input(self, value: Any, fixed: bool, knowledge: Knowledge) -> Any:
        array = np.asarray(value)
        element = self.library.as_dtype("string" if array.dtype == object else array.dtype)
        shape = array.shape if fixed else knowledge(len(self.inputs), array.shape)
        place = len(self.inputs), str(shape)
        if place not in self._made:
            self._made[place] = (
                self.library.constant(array, dtype=element, shape=shape)
                if fixed
                else self.library.placeholder(element, shape=shape)
            )
        tensor = self._made[place]
        if not fixed:
            self.feeds[tensor] = array
        self.inputs.append(tensor)
        self.values.append(array)
        return tensor


def flatten(outputs: Any) -> list[Any]:
    """The output tensors of an op in one list."""
    if isinstance(outputs, (list, tuple)):
        return [tensor for item in outputs for tensor in flatten(item)]
    return [outputs] if hasattr(outputs, "value_index") else []


def build(library: Any, case: Case, dtype: str, knowledge: Knowledge = STATIC) -> Built:
    """Adds the case's op to the default graph."""
    return Built(library, case, dtype, knowledge, case.args(Values(dtype)))


def all_types(case: Case) -> Sequence[str]:
    """The row's element types."""
    return case.dtypes


def first_type(case: Case) -> Sequence[str]:
    """The first of them alone."""
    return case.dtypes[:1]


class Answer(NamedTuple):
    """What one of the libraries makes of a case: each part by element type."""

    graph_def: Any
    """Of the graph, in which other rows may be as well."""
    names: dict[str, list[str]]
    """Of the tensors that are the op's outputs."""
    feeds: dict[str, dict[str, np.ndarray]]
    values: dict[str, list[Any]]


def answers(
    rows: Sequence[Case],
    library: Any,
    dtypes_of: Callable[[Case], Sequence[str]] = all_types,
    knowledge: Knowledge = STATIC,
) -> list[Answer]:
    """The outputs of the rows' ops, all of one step: a session costs more than an op."""
    with library.Graph().as_default() as graph, open_session(library) as session:
        built = [
            {dtype: build(library, row, dtype, knowledge) for dtype in dtypes_of(row)}
            for row in rows
        ]
        fetches = [{dtype: one.outputs for dtype, one in each.items()} for each in built]
        found = session.run(fetches, _feeds(one for each in built for one in each.values()))
        graph_def = graph.as_graph_def()
        return [
            Answer(
                graph_def,
                {dtype: [t.name for t in one.outputs] for dtype, one in each.items()},
                {
                    dtype: {tensor.name: array for tensor, array in one.feeds.items()}
                    for dtype, one in each.items()
                },
                values,
            )
            for each, values in zip(built, found, strict=True)
        ]


def answer(
    library: Any, case: Case, dtypes: Sequence[str], knowledge: Knowledge = STATIC
) -> Answer:
    """What a library makes of one row."""
    (found,) = answers((case,), library, lambda _: dtypes, knowledge)
    return found


def answer_of(library: Any, case: Case) -> Answer:
    """What a library makes of a case in all its element types."""
    return of_row(answers, case, library)


def outputs(
    library: Any, case: Case, dtypes: Sequence[str], knowledge: Knowledge = STATIC
) -> dict[str, list[Any]]:
    """The outputs of the op by element type."""
    return answer(library, case, dtypes, knowledge).values


def expected_outputs(case: Case) -> dict[str, list[Any]]:
    """TensorFlow's outputs by element type."""
    return answer_of(oracle, case).values


def _feeds(built: Iterable[Built]) -> dict[Any, np.ndarray]:
    """Copies: TensorFlow takes what lies well as it is, and some ops write to it."""
    return {tensor: value.copy() for each in built for tensor, value in each.feeds.items()}


def assert_same(
    row: Case | Program, dtype: str, expected: Sequence[Any], actual: Sequence[Any], where: str = ""
) -> None:
    """Fails unless arrays agree in number, dtype, shape and, within the row's tolerance, value."""
    assert len(expected) == len(actual)
    for index, (want, have) in enumerate(zip(expected, actual, strict=True)):
        at = f"{where or row.id} {dtype} output {index}"
        want, have = np.asarray(want), np.asarray(have)
        assert have.shape == want.shape, f"{at}: shape {have.shape}, TensorFlow {want.shape}"
        if want.dtype == object or have.dtype == object or want.dtype.kind in "SU":
            assert have.tolist() == want.tolist(), at
            continue
        assert have.dtype == want.dtype, f"{at}: dtype {have.dtype}, TensorFlow {want.dtype}"
        assert_close(row, want.dtype.name, want, have, at)


def assert_same_gradients(
    case: Case, dtype: str, expected: Sequence[Any], actual: Sequence[Any]
) -> None:
    """Fails unless there are the same gradients, and those that there are agree."""
    assert [g is None for g in actual] == [g is None for g in expected]
    theirs = [g for g in expected if g is not None]
    assert_same(case, dtype, theirs, [g for g in actual if g is not None])


def assert_close(
    row: Case | Program, dtype: str, want: np.ndarray, have: np.ndarray, where: str
) -> None:
    """Fails unless arrays agree within the tolerance for their element type."""
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(have, want, err_msg=where)
        return
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(
        have.astype(wide),
        want.astype(wide),
        rtol=tolerance(row.rtol, dtype),
        atol=tolerance(row.atol, dtype),
        err_msg=where,
    )


def tolerance(said: float | Mapping[str, float] | None, dtype: str) -> float:
    """What a row says of an element type, or else what is usual for it."""
    if isinstance(said, Mapping):
        said = said.get(dtype)
    return _TOLERANCE.get(dtype, 0.0) if said is None else said


def static_shapes(
    library: Any, case: Case, dtype: str, levels: Iterable[Knowledge]
) -> dict[tuple[str, ...], list[Any]]:
    """The inferred shapes of the outputs, by what building is told of the shapes of the inputs;
    what it says where it refuses inputs that might fit."""
    found: dict[tuple[str, ...], list[Any]] = {}
    values = case.args(Values(dtype))
    flat = [
        (np.shape(each), position in case.static)
        for position, value in enumerate(values)
        for each in (value if isinstance(value, list) else [value])
    ]
    made: dict[Any, Any] = {}
    with library.Graph().as_default():
        for knowledge in levels:
            shapes = [None if fixed else knowledge(i, s) for i, (s, fixed) in enumerate(flat)]
            told = tuple(map(str, shapes))
            if told in found:
                continue
            try:
                outputs = Built(library, case, dtype, knowledge, values, made).all_outputs
                found[told] = [tensor.shape for tensor in outputs]
            except ValueError as error:
                found[told] = [str(error).split(" for '")[0]]
    return found


def losses_gradients(
    rows: Sequence[Case],
    library: Any,
    dtypes_of: Callable[[Case], Sequence[str]] | None = None,
) -> list[dict[str, list[Any]]]:
    """By row and element type, the gradients of a weighted sum of the floating outputs with respect
    to `case.gradients`; None for those that there are not."""
    dtypes_of = dtypes_of or differentiated
    with library.Graph().as_default(), open_session(library) as session:
        feeds: dict[Any, np.ndarray] = {}
        found: list[dict[str, list[Any]]] = []
        for row in rows:
            found.append({})
            for dtype in dtypes_of(row):
                built = build(library, row, dtype)
                feeds |= _feeds([built])
                found[-1][dtype] = gradients_in(library, row, dtype, built)
        present = [
            {
                dtype: [library.convert_to_tensor(g) for g in gradients if g is not None]
                for dtype, gradients in each.items()
            }
            for each in found
        ]
        values = session.run(present, feeds)
    for each, those in zip(found, values, strict=True):
        for dtype, gradients in each.items():
            rest = iter(those[dtype])
            each[dtype] = [None if g is None else next(rest) for g in gradients]
    return found


def loss_gradients(library: Any, case: Case, dtypes: Sequence[str]) -> dict[str, list[Any]]:
    """Those of one row."""
    (found,) = losses_gradients((case,), library, lambda _: dtypes)
    return found


def gradients_in(library: Any, case: Case, dtype: str, built: Built) -> list[Any]:
    """The gradients of the weighted sum, in its graph; None where there is none."""
    fetches = differentiable(built.outputs)
    weights = [
        library.constant(w, dtype=t.dtype)
        for w, t in zip(weights_for(case, dtype), fetches, strict=True)
    ]
    sources = [built.inputs[i] for i in case.gradients]
    found: list[Any] = library.gradients(fetches, sources, grad_ys=weights)
    return found


def differentiated(case: Case) -> list[str]:
    """The element types in which gradients are compared: the first real one, the first complex one
    and float64. The ops that gradients are made of have rows of their own in all types."""
    if not case.gradients:
        return []
    real = [dtype for dtype in case.dtypes if dtype.startswith(("float", "bfloat"))]
    complex_ = [dtype for dtype in case.dtypes if dtype.startswith("complex")]
    double = [dtype for dtype in real[1:] if dtype == "float64"]
    return [*real[:1], *double, *complex_[:1]]


def gradients_of(library: Any, case: Case) -> dict[str, list[Any]]:
    """A library's gradients of the weighted sum, by element type."""
    return of_row(losses_gradients, case, library)


def differentiable(outputs: Sequence[Any]) -> list[Any]:
    """The outputs of floating or complex type."""
    return [tensor for tensor in outputs if is_differentiable(tensor.dtype.base_dtype)]


def is_differentiable(dtype: Any) -> bool:
    """Whether an element type of either library is floating or complex."""
    return bool(dtype.is_floating or dtype.is_complex)


@functools.lru_cache(maxsize=64)
def weights_for(case: Case, dtype: str) -> list[np.ndarray]:
    """Fixed weights, one array for each differentiable output."""
    known = expected_outputs(case)
    found = known[dtype] if dtype in known else outputs(tf, case, [dtype])[dtype]
    values = [
        value
        for value in map(np.asarray, found)
        if is_differentiable(tf.as_dtype("string" if value.dtype == object else value.dtype))
    ]
    random = np.random.default_rng(1)
    return [
        np.asarray(random.uniform(0.5, 1.5, value.shape)).astype(value.dtype) for value in values
    ]


def numeric_gradients(case: Case) -> list[np.ndarray]:
    """Central differences, in float64, of the same weighted sum that `loss_gradients` takes."""
    weights = weights_for(case, "float64")
    with tf.Graph().as_default(), tf.Session() as session:
        built = build(tf, case, "float64")
        run = session.make_callable(differentiable(built.outputs), feed_list=list(built.feeds))

        def loss() -> float:
            outputs = run(*built.feeds.values())
            return float(sum(np.sum(w * o) for w, o in zip(weights, outputs, strict=True)))

        gradients = []
        for position in case.gradients:
            tensor = built.inputs[position]
            value = built.feeds[tensor] = built.feeds[tensor].copy()
            gradient = np.zeros_like(value)
            for index in np.ndindex(*value.shape):
                kept, step = value[index], 1e-6
                value[index] = kept + step
                above = loss()
                value[index] = kept - step
                below = loss()
                value[index] = kept
                gradient[index] = (above - below) / (2 * step)
            gradients.append(gradient)
        return gradients


def crossed_over(maker: Any, runner: Any, case: Case) -> list[Any]:
    """Outputs, in the first element type, of a graph made by one library and run by the other."""
    return of_row(_crossings, case, maker, runner)


def _crossings(rows: Sequence[Case], maker: Any, runner: Any) -> list[list[Any]]:
    # A row that is tried alone is to have a graph of its own.
    made = answers(rows, maker) if len(rows) == 1 else [answer_of(maker, row) for row in rows]
    assert all(each.graph_def is made[0].graph_def for each in made)
    with runner.Graph().as_default(), open_session(runner) as session:
        runner.import_graph_def(_read(runner, made[0].graph_def), name="")
        fetches, feeds = [], {}
        for row, each in zip(rows, made, strict=True):
            (dtype,) = first_type(row)
            fetches.append(each.names[dtype])
            feeds |= {name: array.copy() for name, array in each.feeds[dtype].items()}
        found: list[list[Any]] = session.run(fetches, feeds)
        return found


def same_graph_defs(case: Case) -> bool:
    """Whether the case's graphs of all element types are node by node the same in both libraries:
    what TensorFlow computes of its own, it computes of ours."""
    return of_row(_same_graph_defs, case)


def _same_graph_defs(rows: Sequence[Case]) -> list[bool]:
    ours, theirs = ([answer_of(library, row) for row in rows] for library in (tf, oracle))
    read = _read(oracle, ours[0].graph_def)
    made = theirs[0].graph_def
    same = read.node == made.node and read.library == made.library
    for one, other in zip(ours, theirs, strict=True):
        same &= one.graph_def is ours[0].graph_def and other.graph_def is made
        same &= one.names == other.names
    return [same for _ in rows]


def _read(library: Any, graph_def: Any) -> Any:
    """A GraphDef as a message of the library's own."""
    return library.GraphDef.FromString(graph_def.SerializeToString())


def refusal(library: Any, case: Case, bad: Bad) -> Exception:
    """The error that a bad input raises, while building or in the run.

    Raises:
      AssertionError: Nothing is raised.
    """
    dtype = bad.dtype or case.dtypes[0]
    changed = Case(
        case.op,
        bad.args,
        (dtype,),
        attrs=case.attrs if bad.attrs is None else bad.attrs,
        static=case.static if bad.when != "run" else (),
        type_attr=case.type_attr,
    )
    knowledge = UNKNOWN if bad.when == "run" else STATIC
    with library.Graph().as_default():
        try:
            built = build(library, changed, dtype, knowledge)
            with open_session(library) as session:
                session.run(built.outputs, built.feeds)
        except Exception as error:
            return error
    raise AssertionError(f"{case.id}: {library.__name__} takes the bad input of {bad.text!r}")


def assert_same_refusal(case: Case, bad: Bad) -> None:
    """Fails unless both libraries refuse with the same class of error and a text that says why."""
    theirs, ours = refusal(oracle, case, bad), refusal(tf, case, bad)
    assert type(ours).__name__ == type(theirs).__name__, f"{ours!r}, TensorFlow {theirs!r}"
    for error in (theirs, ours):
        assert re.search(bad.text, getattr(error, "message", str(error))), (
            f"{bad.text!r} is not in {error!r}"
        )

"""The state ops one by one, over element types and shapes, against TensorFlow.

Ops: VariableV2 Variable Assign AssignAdd AssignSub IsVariableInitialized CountUpTo VarHandleOp
ReadVariableOp AssignVariableOp AssignAddVariableOp AssignSubVariableOp VarIsInitializedOp
VariableShape ResourceCountUpTo ResourceGather ResourceGatherNd; ScatterUpdate ScatterAdd ScatterSub
ScatterMul ScatterDiv ScatterMin ScatterMax ScatterNdUpdate ScatterNdAdd ScatterNdSub ScatterNdMin
ScatterNdMax; ResourceScatterUpdate ResourceScatterAdd ResourceScatterSub ResourceScatterMul
ResourceScatterDiv ResourceScatterMin ResourceScatterMax ResourceScatterNdUpdate
ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdMin ResourceScatterNdMax.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import oracle
from tests.ops.case import COMPLEX, FLOATS, INTEGERS, Values
from tests.oracle import open_session

LIBRARIES = (oracle, tf)
SHAPES = ((2, 3), (), (0, 3))
NUMBERS = FLOATS + INTEGERS + COMPLEX
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-6, "complex64": 2e-6}


def on_both(build: Callable[[Any], Any], runs: int = 2) -> None:
    """Fails unless both libraries compute the same in the first and in later runs."""
    expected, actual = (_values(lib, build, runs) for lib in LIBRARIES)
    assert len(expected) == len(actual)
    for want, have in zip(expected, actual, strict=True):
        want, have = np.asarray(want), np.asarray(have)
        assert have.dtype == want.dtype
        assert have.shape == want.shape
        if want.dtype == object or want.dtype.kind in "biuS":
            assert have.tolist() == want.tolist()
            continue
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        tolerance = TOLERANCE.get(want.dtype.name, 1e-12)
        np.testing.assert_allclose(have.astype(wide), want.astype(wide), tolerance, tolerance)


def _values(lib: Any, build: Callable[[Any], Any], runs: int) -> list[Any]:
    with lib.Graph().as_default() as graph, open_session(lib, graph) as session:
        fetches = build(lib)
        session.run(lib.global_variables_initializer())
        return [value for _ in range(runs) for value in session.run(fetches)]


def variable(lib: Any, value: np.ndarray, use_resource: bool) -> Any:
    element = lib.as_dtype("string" if value.dtype == object else value.dtype)
    return lib.Variable(value, dtype=element, use_resource=use_resource, name="W")


@pytest.mark.parametrize("dtype", [*NUMBERS, "bool", "string"])
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_assign(dtype: str, use_resource: bool) -> None:
    values = Values(dtype)
    pairs = [(values.any(*shape), values.any(*shape)) for shape in SHAPES]

    def build(lib: Any) -> Any:
        fetches = []
        for first, second in pairs:
            w = variable(lib, first, use_resource)
            fetches += [lib.assign(w, second), lib.is_variable_initialized(w)]
        return fetches

    on_both(build)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_assign_add_and_sub(dtype: str, use_resource: bool) -> None:
    values = Values(dtype)
    pairs = [(values.any(*shape), values.any(*shape)) for shape in SHAPES]

    def build(lib: Any) -> Any:
        return [
            getattr(lib, name)(variable(lib, first, use_resource), second)
            for first, second in pairs
            for name in ("assign_add", "assign_sub")
        ]

    on_both(build, runs=3)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
def test_integers_wrap_around(dtype: str) -> None:
    limits = np.iinfo(dtype)
    for shape in ((2,), ()):
        high, one = np.full(shape, limits.max, dtype), np.ones(shape, dtype)
        for use_resource in (False, True):
            on_both(lambda lib, r=use_resource, h=high, o=one: [variable(lib, h, r).assign_add(o)])


INDEXED = [
    ((4,), [0, 2]),
    ((4, 3), [3, 0, 1]),
    ((4, 3), [1, 1, 1, 2]),
    ((3, 2, 2), [[0, 2], [2, 2]]),
    ((4, 3), 2),
    ((5,), [0, 0, 1, 0, 4, 4, 0]),
    ((3,), [1] * 25),
    ((4, 3), np.zeros([0], np.int32)),
    ((4, 0), [1, 2]),
]
KINDS = ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")


def _some(cases: Sequence[Any], dtype: str) -> Sequence[Any]:
    """All cases for one element type of each sort, a few for the others."""
    return cases if dtype in ("float32", "int32", "string") else cases[1:4]


def _index_types(dtype: str) -> tuple[str, ...]:
    return ("int32", "int64") if dtype in ("float32", "int32", "string") else ("int32",)


def supported(kind: str, dtype: str, is_nd: bool, is_ref: bool) -> bool:
    if kind == "Update":
        return True
    if dtype in ("bool", "string"):
        return False
    if kind in ("Min", "Max"):
        few = is_ref and not is_nd
        return dtype in ((*FLOATS, "int32", "int64") if few else FLOATS + INTEGERS)
    return True


def _scatter(lib: Any, kind: str, w: Any, indices: Any, updates: Any) -> Any:
    """Runs a scatter op on a reference or a handle and gives the variable's value after it."""
    if not hasattr(w, "handle"):
        return getattr(lib.raw_ops, kind)(ref=w.op.outputs[0], indices=indices, updates=updates)
    arguments = {"ref" if "Nd" in kind else "resource": w.handle}
    op = getattr(lib.raw_ops, f"Resource{kind}")(**arguments, indices=indices, updates=updates)
    with lib.control_dependencies([op]):
        return w.read_value()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_scatter(kind: str, use_resource: bool) -> None:
    for dtype in (*NUMBERS, "bool", "string"):
        if not supported(kind, dtype, False, not use_resource):
            continue
        values = Values(dtype)
        make = values.positive if kind in ("Div", "Mul") and dtype not in COMPLEX else values.any
        trials = []
        for shape, listed in _some(INDEXED, dtype):
            for index_type in _index_types(dtype):
                indices = np.asarray(listed, index_type)
                for updates in (make(*indices.shape, *shape[1:]), make()):
                    trials.append((values.any(*shape), indices, updates))
        on_both(lambda lib, t=trials: _all_scattered(lib, f"Scatter{kind}", t, use_resource))


def _all_scattered(lib: Any, kind: str, trials: Sequence[Any], use_resource: bool) -> list[Any]:
    fetches = []
    for start, indices, updates in trials:
        w = variable(lib, start, use_resource)
        given = lib.constant(updates, dtype=w.dtype.base_dtype, shape=updates.shape)
        fetches.append(_scatter(lib, kind, w, lib.constant(indices), given))
    return fetches


ND_INDEXED = [
    ((4,), [[0], [2]]),
    ((4, 3), [[3], [0], [1]]),
    ((4, 3), [[1, 2], [1, 2], [0, 0]]),
    ((3, 2, 2), [[[0, 1], [2, 0]], [[2, 0], [2, 0]]]),
    ((3, 2, 2), [[1, 0, 1]]),
    ((4, 3), np.zeros([0, 1], np.int32)),
    ((5,), [[1]] * 20 + [[0]]),
]


@pytest.mark.parametrize("kind", ["Update", "Add", "Sub", "Min", "Max"])
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_scatter_nd(kind: str, use_resource: bool) -> None:
    for dtype in (*NUMBERS, "bool", "string"):
        if not supported(kind, dtype, True, not use_resource):
            continue
        values = Values(dtype)
        trials = []
        for shape, listed in _some(ND_INDEXED, dtype):
            for index_type in _index_types(dtype):
                indices = np.asarray(listed, index_type)
                updates = values.any(*indices.shape[:-1], *shape[indices.shape[-1] :])
                trials.append((values.any(*shape), indices, updates))
        on_both(lambda lib, t=trials: _all_scattered(lib, f"ScatterNd{kind}", t, use_resource))


@pytest.mark.parametrize("kind", ["Add", "Sub"])
def test_scatter_nd_of_bools(kind: str) -> None:
    start = np.array([True, True, False, False])

    def build(lib: Any) -> Any:
        w = variable(lib, start, True)
        updates = lib.constant([True, False, True, False])
        return [_scatter(lib, f"ScatterNd{kind}", w, [[0], [1], [2], [3]], updates)]

    on_both(build)


@pytest.mark.parametrize("policy", ["", "DEFAULT", "ERROR", "IGNORE"])
def test_bad_indices_policy(policy: str) -> None:
    def outcome(lib: Any) -> Any:
        with lib.Graph().as_default(), lib.Session() as session:
            w = lib.Variable([1.0, 2.0, 3.0])
            updated = lib.raw_ops.ScatterNdAdd(
                ref=w.op.outputs[0],
                indices=[[0], [7], [2], [-1]],
                updates=[1.0, 1.0, 1.0, 1.0],
                bad_indices_policy=policy,
            )
            session.run(w.initializer)
            try:
                return session.run(updated).tolist()
            except lib.errors.InvalidArgumentError as error:
                return "does not index into" in str(error)

    assert outcome(tf) == outcome(oracle)


@pytest.mark.parametrize("dtype", [*NUMBERS, "bool", "string"])
def test_gather(dtype: str) -> None:
    values = Values(dtype)
    rows = [(values.any(*shape), indices) for shape, indices in INDEXED]
    slices = [(values.any(*shape), indices) for shape, indices in ND_INDEXED]
    slices.append((values.any(2, 2), np.zeros([3, 0], np.int32)))

    def build(lib: Any) -> Any:
        fetches = []
        for index_type in _index_types(dtype):
            for start, indices in rows:
                w = variable(lib, start, True)
                fetches.append(w.sparse_read(np.asarray(indices, index_type)))
            for start, indices in slices:
                w = variable(lib, start, True)
                fetches.append(w.gather_nd(np.asarray(indices, index_type)))
        return fetches

    on_both(build)


@pytest.mark.parametrize(
    ("shape", "indices", "batch_dims"),
    [
        ((3, 2), [[1], [0], [1]], 1),
        ((2, 3, 2), [[2, 0], [1, 1]], 1),
        ((2, 3), [2, 0], 1),
        ((2, 2, 4, 3), [[[3], [0]], [[1], [2]]], 2),
    ],
)
def test_batched_gather(shape: Sequence[int], indices: Any, batch_dims: int) -> None:
    start = Values("float32").any(*shape)

    def build(lib: Any) -> Any:
        handle = variable(lib, start, True).handle
        gathered = lib.raw_ops.ResourceGather(
            resource=handle, indices=indices, batch_dims=batch_dims, dtype=lib.float32
        )
        return [gathered]

    on_both(build)
    shapes = []
    for lib in LIBRARIES:
        with lib.Graph().as_default():
            shapes.append(str(build(lib)[0].shape))
    assert shapes[0] == shapes[1]


def _static(lib: Any, shape: Any) -> Any:
    return lib.placeholder(lib.float32, shape)


STATIC_SHAPES: dict[str, Callable[[Any], Any]] = {
    "VariableV2": lambda lib: lib.raw_ops.VariableV2(shape=[2, None], dtype=lib.float32),
    "Variable": lambda lib: lib.raw_ops.Variable(shape=[2, 3], dtype=lib.float32),
    "TemporaryVariable": lambda lib: lib.raw_ops.TemporaryVariable(shape=[2], dtype=lib.int32),
    "Assign": lambda lib: lib.assign(
        lib.raw_ops.VariableV2(shape=[2, None], dtype=lib.float32), _static(lib, [None, 3])
    ),
    "Assign any": lambda lib: lib.assign(
        lib.raw_ops.VariableV2(shape=[2], dtype=lib.float32),
        _static(lib, [None, 3]),
        validate_shape=False,
    ),
    "AssignAdd": lambda lib: lib.assign_add(
        lib.raw_ops.VariableV2(shape=None, dtype=lib.float32), _static(lib, [None, 3])
    ),
    "CountUpTo": lambda lib: lib.count_up_to(
        lib.raw_ops.VariableV2(shape=None, dtype=lib.int32), 3
    ),
    "ScatterAdd": lambda lib: lib.scatter_add(
        lib.raw_ops.VariableV2(shape=[None, 3], dtype=lib.float32), [1], _static(lib, None)
    ),
    "ScatterNdAdd": lambda lib: lib.scatter_nd_add(
        lib.raw_ops.VariableV2(shape=[None, 3], dtype=lib.float32), [[1]], _static(lib, None)
    ),
    "ReadVariableOp": lambda lib: lib.raw_ops.ReadVariableOp(
        resource=lib.raw_ops.VarHandleOp(shape=[2, None], dtype=lib.float32), dtype=lib.float32
    ),
    "VariableShape": lambda lib: lib.raw_ops.VariableShape(
        input=lib.raw_ops.VarHandleOp(shape=[2, None], dtype=lib.float32)
    ),
    "VariableShape unknown": lambda lib: lib.raw_ops.VariableShape(
        input=lib.raw_ops.VarHandleOp(shape=None, dtype=lib.float32)
    ),
    "VarIsInitializedOp": lambda lib: lib.raw_ops.VarIsInitializedOp(
        resource=lib.raw_ops.VarHandleOp(shape=None, dtype=lib.float32)
    ),
    "ResourceCountUpTo": lambda lib: lib.raw_ops.ResourceCountUpTo(
        resource=lib.raw_ops.VarHandleOp(shape=None, dtype=lib.int32), limit=3, T=lib.int32
    ),
    "ResourceGather": lambda lib: lib.raw_ops.ResourceGather(
        resource=lib.raw_ops.VarHandleOp(shape=[None, 3], dtype=lib.float32),
        indices=lib.placeholder(lib.int32, [None, 4]),
        dtype=lib.float32,
    ),
    "ResourceGather unknown": lambda lib: lib.raw_ops.ResourceGather(
        resource=lib.placeholder(lib.resource), indices=[1, 2], dtype=lib.float32
    ),
    "ResourceGatherNd": lambda lib: lib.raw_ops.ResourceGatherNd(
        resource=lib.raw_ops.VarHandleOp(shape=[None, 3, 5], dtype=lib.float32),
        indices=lib.placeholder(lib.int32, [None, 4, 2]),
        dtype=lib.float32,
    ),
}


@pytest.mark.parametrize("build", STATIC_SHAPES.values(), ids=STATIC_SHAPES.keys())
def test_static_shape(build: Callable[[Any], Any]) -> None:
    shapes = []
    for lib in LIBRARIES:
        with lib.Graph().as_default():
            shapes.append(str(build(lib).shape))
    assert shapes[0] == shapes[1]


BAD_SHAPES: dict[str, Callable[[Any], Any]] = {
    "AssignVariableOp": lambda lib: lib.raw_ops.AssignVariableOp(
        resource=lib.raw_ops.VarHandleOp(shape=[2], dtype=lib.float32), value=[1.0]
    ),
    "AssignVariableOp dtype": lambda lib: lib.raw_ops.AssignVariableOp(
        resource=lib.raw_ops.VarHandleOp(shape=[2], dtype=lib.float32), value=[1, 2]
    ),
    "AssignAddVariableOp": lambda lib: lib.raw_ops.AssignAddVariableOp(
        resource=lib.raw_ops.VarHandleOp(shape=[2], dtype=lib.float64),
        value=np.ones([2, 1], np.float64),
    ),
    "ResourceGather": lambda lib: lib.raw_ops.ResourceGather(
        resource=lib.raw_ops.VarHandleOp(shape=[2], dtype=lib.float32),
        indices=[[0]],
        batch_dims=-1,
        dtype=lib.float32,
    ),
    "ResourceScatterAdd": lambda lib: lib.raw_ops.ResourceScatterAdd(
        resource=lib.raw_ops.VarHandleOp(shape=[2, 3], dtype=lib.float16),
        indices=[0],
        updates=np.ones([1, 2], np.float16),
    ),
    "ResourceCountUpTo": lambda lib: lib.raw_ops.ResourceCountUpTo(
        resource=lib.raw_ops.VarHandleOp(shape=[2], dtype=lib.int32), limit=3, T=lib.int32
    ),
}


@pytest.mark.parametrize("build", BAD_SHAPES.values(), ids=BAD_SHAPES.keys())
def test_bad_static_shape(build: Callable[[Any], Any]) -> None:
    texts = []
    for lib in LIBRARIES:
        with lib.Graph().as_default(), pytest.raises(ValueError) as caught:
            build(lib)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_graphs_cross_over() -> None:
    """Variables in a GraphDef that the other library wrote work, and keep their values."""
    for maker, runner in ((oracle, tf), (tf, oracle)):
        with maker.Graph().as_default() as graph:
            w = maker.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
            r = maker.Variable([1.0, 2.0], name="r", use_resource=True)
            maker.scatter_add(w, [1], [[1.0, 1.0]], name="scattered")
            with maker.control_dependencies([r.assign_add([1.0, 1.0])]):
                maker.identity(r.read_value(), name="added")
            maker.global_variables_initializer()
            data = graph.as_graph_def().SerializeToString()
        graph_def = runner.GraphDef()
        graph_def.ParseFromString(data)
        with runner.Graph().as_default() as imported, runner.Session(graph=imported) as session:
            runner.import_graph_def(graph_def, name="")
            session.run("init")
            for count in (1, 2):
                rows, added = session.run(["scattered:0", "added:0"])
                assert rows.tolist() == [[1.0, 2.0], [3.0 + count, 4.0 + count]]
                assert added.tolist() == [1.0 + count, 2.0 + count]

"""get_variable and variable_scope: names, sharing, defaults and refusals are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal, oracle, refusal

Program = Callable[[Any], Any]


def simple(lib: Any) -> Any:
    v = lib.get_variable("v", [2, 3])
    with lib.variable_scope("a"):
        w = lib.get_variable("v", [3], initializer=lib.zeros_initializer())
        with lib.variable_scope("b") as scope:
            x = lib.get_variable("v", initializer=lib.constant([1.0, 2.0]))
            assert scope.name == "a/b"
            assert scope.original_name_scope == "a/b/"
    lib.get_variable("n", [], lib.int32)
    lib.get_variable("s", [2], lib.string)
    lib.get_variable("t", [2], lib.bool)
    return [w * 2.0, x + 1.0, lib.identity(v.initializer.inputs[0])]


def from_values(lib: Any) -> Any:
    return [
        lib.get_variable("a", initializer=np.ones([2], np.float64)).value(),
        lib.get_variable("b", initializer=3.0).value(),
        lib.get_variable("c", initializer=lambda: lib.ones([2])).value(),
        lib.get_variable("d", [2, 2], initializer=lib.ones_initializer).value(),
        lib.get_variable("e", [2], initializer=lambda shape, dtype: lib.fill(shape, 7.0)).value(),
    ]


def shared(lib: Any) -> Any:
    def layer(x: Any) -> Any:
        return x * lib.get_variable("w", [2], initializer=lib.ones_initializer())

    with lib.variable_scope("net") as scope:
        first = layer(lib.constant([1.0, 2.0]))
    with lib.variable_scope(scope, reuse=True):
        second = layer(first)
    with lib.variable_scope("net", reuse=lib.AUTO_REUSE):
        third = layer(second)
        lib.get_variable("more", [1])
    with lib.variable_scope("net"):
        lib.get_variable_scope().reuse_variables()
        fourth = layer(third)
    assert len(lib.global_variables()) == 2
    return [first, second, third, fourth]


def default_names(lib: Any) -> Any:
    for _ in range(3):
        with lib.variable_scope(None, "layer"):
            lib.get_variable("w", [1], initializer=lib.ones_initializer())
            with lib.variable_scope(None, default_name="inner"):
                lib.get_variable("w", [1], initializer=lib.ones_initializer())
    with lib.variable_scope("layer"), lib.variable_scope(None, "inner"):
        lib.get_variable("u", [1], initializer=lib.ones_initializer())
    return [v.value() for v in lib.global_variables()]


def entered_again(lib: Any) -> Any:
    with lib.variable_scope("outer") as outer:
        lib.constant(1.0)
    with lib.variable_scope("other"):
        with lib.variable_scope(outer) as again:
            lib.constant(2.0)
            assert again.name == "outer"
            assert again.original_name_scope == "outer/"
            lib.get_variable("w", [1], initializer=lib.ones_initializer())
        with lib.name_scope(outer.original_name_scope):
            lib.constant(3.0)
        with lib.variable_scope(outer, auxiliary_name_scope=False):
            lib.constant(4.0)
            with lib.variable_scope("deep", auxiliary_name_scope=False):
                lib.constant(5.0)
    with lib.variable_scope("outer", auxiliary_name_scope=False):
        lib.constant(6.0)
    with lib.name_scope("names"), lib.variable_scope("scope"):
        lib.get_variable("w", [1], initializer=lib.ones_initializer())
        lib.constant(7.0)
    with lib.variable_scope(""):
        lib.get_variable("top", [1], initializer=lib.ones_initializer())
        lib.constant(8.0)
    return []


def scope_object_twice(lib: Any) -> Any:
    scope = lib.variable_scope("twice", reuse=lib.AUTO_REUSE)
    for _ in range(2):
        with scope:
            lib.get_variable("w", [1], initializer=lib.ones_initializer())
            lib.constant(1.0)
    return []


def defaults(lib: Any) -> Any:
    with lib.variable_scope(
        "a",
        initializer=lib.constant_initializer(3.0),
        regularizer=lambda w: lib.reduce_sum(w) * 0.5,
        dtype=lib.float64,
        use_resource=True,
        caching_device="/cpu:0",
    ) as scope:
        v = lib.get_variable("v", [2])
        with lib.variable_scope("b", initializer=lib.zeros_initializer(), dtype=lib.float32):
            w = lib.get_variable("w", [2], regularizer=lib.no_regularizer, use_resource=False)
        assert v.dtype == lib.float64
        assert scope.trainable_variables() == [v, w]
        assert scope.global_variables() == [v, w]
        assert scope.local_variables() == []
        scope.set_initializer(lib.ones_initializer())
        scope.set_regularizer(None)
        scope.set_dtype(lib.float16)
        scope.set_use_resource(False)
        scope.set_caching_device(None)
        x = lib.get_variable("x", [2])
    losses = lib.get_collection(lib.GraphKeys.REGULARIZATION_LOSSES)
    return [v.value(), w.value(), x.value(), lib.add_n(losses), losses[0] * 2.0]


def regularized(lib: Any) -> Any:
    def penalty(w: Any) -> Any:
        return lib.reduce_sum(lib.square(w), name="penalty")

    with lib.variable_scope("net", regularizer=penalty):
        w = lib.get_variable("w", [2], initializer=lib.ones_initializer())
        lib.get_variable("b", [2], regularizer=lambda w: None, initializer=lib.ones_initializer())
    losses = lib.get_collection("regularization_losses")
    assert len(losses) == 1
    return [lib.reduce_sum(w) + sum(losses), lib.convert_to_tensor(losses[0])]


def custom_getters(lib: Any) -> Any:
    seen = []

    def doubling(getter: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(("doubling", name, sorted(kwargs)))
        return getter(name, *args, **kwargs) * 2.0

    def renaming(getter: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(("renaming", name, kwargs["shape"]))
        return getter(name + "_renamed", *args, **kwargs)

    with lib.variable_scope("a", custom_getter=doubling):
        x = lib.get_variable("x", [2], initializer=lib.ones_initializer())
        with lib.variable_scope("b", custom_getter=renaming):
            y = lib.get_variable("y", [2], initializer=lib.ones_initializer())
        z = lib.get_variable("z", [1], custom_getter=renaming, initializer=lib.ones_initializer())
    return [x, y, z.value(), lib.constant([str(seen)])]


def creators(lib: Any) -> Any:
    names = []

    def noting(next_creator: Any, **kwargs: Any) -> Any:
        names.append(f"noting {kwargs['name']}")
        return next_creator(**kwargs)

    def untrained(next_creator: Any, **kwargs: Any) -> Any:
        names.append(f"untrained {kwargs['name']}")
        kwargs["trainable"] = False
        kwargs["use_resource"] = True
        return next_creator(**kwargs)

    with lib.variable_creator_scope(noting), lib.variable_creator_scope(untrained):
        lib.Variable(1.0, name="a")
        lib.get_variable("b", initializer=2.0)
    lib.Variable(3.0, name="c")
    assert [v.op.name for v in lib.trainable_variables()] == ["c"]
    return [lib.constant(names)]


def local(lib: Any) -> Any:
    v = lib.get_local_variable("v", [2], initializer=lib.ones_initializer(), collections=["mine"])
    assert lib.local_variables() == [v] == lib.get_collection("mine")
    assert lib.global_variables() == [] == lib.trainable_variables()
    return []


def old_scope(lib: Any) -> Any:
    with lib.variable_op_scope([lib.constant(1.0)], None, "old"):
        return [lib.get_variable("v", [2], initializer=lib.ones_initializer()).value()]


def resource_by_switch(lib: Any) -> Any:
    lib.enable_resource_variables()
    try:
        assert lib.resource_variables_enabled()
        v = lib.Variable([1.0], name="v")
        w = lib.get_variable("w", [2], initializer=lib.ones_initializer())
        with lib.variable_scope("ref", use_resource=False):
            r = lib.Variable([1.0], name="r")
    finally:
        lib.disable_resource_variables()
    assert hasattr(v, "handle")
    assert hasattr(w, "handle")
    assert not hasattr(r, "handle")
    return [lib.Variable([2.0]).value(), w.value()]


def partitioned(lib: Any) -> Any:
    with lib.variable_scope("a", partitioner=lib.fixed_size_partitioner(3)):
        v = lib.get_variable("v", [7, 2], initializer=lib.ones_initializer())
        scalar = lib.get_variable("s", [], initializer=lib.ones_initializer())
        w = lib.get_variable("w", initializer=lib.constant(np.arange(6.0)))
    with lib.variable_scope("a", reuse=True):
        again = lib.get_variable("v", [7, 2])
    single = lib.get_variable("one", [2], partitioner=lib.fixed_size_partitioner(1))
    columns = lib.get_variable(
        "c",
        [2, 5],
        initializer=lib.zeros_initializer(),
        partitioner=lib.fixed_size_partitioner(2, axis=1),
    )
    assert again is v
    assert len(v) == 3
    assert [p.shape.as_list() for p in v] == [[3, 2], [2, 2], [2, 2]]
    infos = [p._get_save_slice_info().spec for p in columns]
    with lib.control_dependencies([lib.no_op("first")]):
        after = v._concat()
    lib.identity(single)
    return [
        lib.convert_to_tensor(v),
        scalar.value(),
        w.as_tensor(),
        after,
        columns.assign(np.ones([2, 5], np.float32)),
        v.assign_add(np.ones([7, 2], np.float32)),
        lib.constant(infos),
    ]


def partitioned_the_old_way(lib: Any) -> Any:
    parts = lib.create_partitioned_variables([4, 2], [2, 1], lib.ones_initializer(), name="p")
    return [part.value() for part in parts]


def templates(lib: Any) -> Any:
    def scale(x: Any, start: float = 1.0) -> Any:
        w = lib.get_variable("w", [1], initializer=lib.constant_initializer(start))
        return x * w

    first = lib.make_template("scale", scale, start=3.0)
    second = lib.make_template("scale", scale, create_scope_now_=True)
    third = lib.make_template("other", scale, unique_name_="exact")
    results = [first(1.0), second(2.0), first(3.0), second(4.0), third(5.0), third(6.0)]
    assert [v.op.name for v in first.variables] == ["scale_1/w"]
    assert [v.op.name for v in second.trainable_variables] == ["scale/w"]
    assert third.variable_scope_name == "exact/"
    return results


PROGRAMS = [
    simple,
    from_values,
    shared,
    default_names,
    entered_again,
    scope_object_twice,
    defaults,
    regularized,
    custom_getters,
    creators,
    local,
    old_scope,
    resource_by_switch,
    partitioned,
    partitioned_the_old_way,
    templates,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_same_graph_and_values(program: Program) -> None:
    # Values that are drawn without a seed differ.
    drawn = program in (simple,)
    assert_same_graph(program, values=not drawn)


def _in_scope(**scope: Any) -> Callable[[Callable[[Any], Any]], Program]:
    def wrap(body: Callable[[Any], Any]) -> Program:
        def program(lib: Any) -> None:
            lib.get_variable("v", [2])
            with lib.variable_scope("", **scope):
                body(lib)

        return program

    return wrap


REFUSED: dict[str, Program] = {
    "missing": _in_scope(reuse=True)(lambda lib: lib.get_variable("w", [2])),
    "other shape": _in_scope(reuse=True)(lambda lib: lib.get_variable("v", [3])),
    "other dtype": _in_scope(reuse=True)(lambda lib: lib.get_variable("v", [2], lib.int32)),
    "no shape": lambda lib: lib.get_variable("v"),
    "shape and value": lambda lib: lib.get_variable("v", [2], initializer=lib.constant([1.0, 2.0])),
    "value of another dtype": lambda lib: lib.get_variable("v", dtype=lib.int32, initializer=1.0),
    "unknown shape": lambda lib: lib.get_variable("v", [None], initializer=lib.ones_initializer()),
    "no default initializer": lambda lib: lib.get_variable("v", [2], lib.complex64),
    "getter is not callable": lambda lib: lib.get_variable("v", [2], custom_getter=3),
    "bad reuse": lambda lib: lib.variable_scope("a", reuse="yes"),
    "no name": lambda lib: lib.variable_scope(None),
    "bad name": lambda lib: lib.variable_scope(3).__enter__(),
    "reuse without name": lambda lib: lib.variable_scope(None, "a", reuse=True).__enter__(),
    "bad auxiliary": lambda lib: lib.variable_scope("a", auxiliary_name_scope=1),
    "partitioner is not callable": lambda lib: lib.get_variable("v", [2], partitioner=3),
    "partitions of another rank": lambda lib: lib.get_variable(
        "v", [2], partitioner=lambda shape, dtype: [1, 1]
    ),
    "no partitions": lambda lib: lib.get_variable("v", [2], partitioner=lambda shape, dtype: [0]),
    "cut twice": lambda lib: lib.get_variable("v", [2, 2], partitioner=lambda **_: [2, 2]),
    "partitions are no list": lambda lib: lib.get_variable("v", [2], partitioner=lambda **_: 3),
    "partition of unknown shape": lambda lib: lib.get_variable(
        "v", [None], partitioner=lib.fixed_size_partitioner(2)
    ),
    "partition of one": _in_scope(reuse=True)(
        lambda lib: lib.get_variable("v", [2], partitioner=lib.fixed_size_partitioner(2))
    ),
    "no initial value": lambda lib: lib.Variable(),
    "no initial resource value": lambda lib: lib.Variable(use_resource=True),
    "initial shape": lambda lib: lib.Variable(lib.placeholder(lib.float32, [None]), name="v"),
    "collections": lambda lib: lib.Variable(1.0, collections="mine"),
    "constraint": lambda lib: lib.Variable(1.0, constraint=3),
    "resource constraint": lambda lib: lib.Variable(1.0, constraint=3, use_resource=True),
    "other initial shape": lambda lib: lib.Variable([1.0, 2.0], shape=[3], use_resource=True),
    "aggregation": lambda lib: lib.Variable(1.0, aggregation=17, name="v"),
    "synchronization": lambda lib: lib.Variable(1.0, synchronization=17, name="v"),
    "assigned shape": lambda lib: lib.assign(lib.Variable([1.0], name="v"), [1.0, 2.0]),
    "assigned resource shape": lambda lib: lib.assign(
        lib.Variable([1.0], name="v", use_resource=True), [1.0, 2.0]
    ),
    "added shape": lambda lib: lib.assign_add(lib.Variable([1.0], name="v"), 1.0),
    "added resource shape": lambda lib: lib.assign_add(
        lib.Variable([1.0], name="v", use_resource=True), [1.0, 2.0]
    ),
    "no reference": lambda lib: lib.raw_ops.Assign(ref=lib.constant(1.0), value=1.0),
    "assigned dtype": lambda lib: lib.assign(lib.Variable([1.0]), lib.constant([1])),
    "converted dtype": lambda lib: lib.convert_to_tensor(lib.Variable([1.0]), lib.int32),
    "counter dtype": lambda lib: lib.count_up_to(lib.Variable(1.0), 3),
    "counter rank": lambda lib: lib.count_up_to(lib.Variable([1]), 3),
    "rows": lambda lib: lib.scatter_add(lib.Variable([1.0, 2.0], name="v"), [0, 1], [1.0]),
    "resource rows": lambda lib: lib.scatter_add(
        lib.Variable([1.0, 2.0], name="v", use_resource=True), [0, 1], [1.0]
    ),
    "slices": lambda lib: lib.scatter_nd_add(lib.Variable([1.0, 2.0], name="v"), [[0], [1]], [1.0]),
    "inner slices": lambda lib: lib.scatter_nd_add(
        lib.Variable([[1.0, 2.0]], name="v"), [[0]], [[1.0]]
    ),
    "empty": lambda lib: lib.scatter_nd_add(
        lib.Variable(np.zeros([0], np.float32), name="v"), [[0]], [1.0]
    ),
    "no slices": lambda lib: lib.Variable([1.0]).scatter_sub([1.0]),
    "no resource slices": lambda lib: lib.Variable([1.0], use_resource=True).scatter_sub([1.0]),
    "gathered scalar": lambda lib: lib.Variable(1.0, name="v", use_resource=True).sparse_read([0]),
    "gathered depth": lambda lib: lib.Variable([1.0], name="v", use_resource=True).gather_nd(
        [[0, 0]]
    ),
    "read dtype": lambda lib: lib.raw_ops.ReadVariableOp(
        resource=lib.Variable([1.0], name="v", use_resource=True).handle, dtype=lib.int32
    ),
    "partitioner of no bytes": lambda lib: lib.variable_axis_size_partitioner(0),
    "template without a name": lambda lib: lib.make_template(None, lambda: None),
    "iteration": lambda lib: iter(lib.Variable([1.0], name="v", use_resource=True)),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED.keys())
def test_same_refusal(program: Program) -> None:
    if program in (REFUSED["iteration"],):
        assert isinstance(refusal(tf, program), type(refusal(oracle, program)).__mro__[-3])
        return
    assert_same_refusal(program)


def test_existing_variable_is_refused_with_its_place() -> None:
    def program(lib: Any) -> None:
        lib.get_variable("v", [2])
        lib.get_variable("v", [2])

    theirs, ours = str(refusal(oracle, program)), str(refusal(tf, program))
    head = "Variable v already exists, disallowed. Did you mean to set reuse=True or"
    assert theirs.startswith(head)
    assert ours.startswith(head)
    assert ours.split("Originally")[0] == theirs.split("Originally")[0]
    line = program.__code__.co_firstlineno + 1
    assert ours.endswith(
        f'  File "{__file__}", line {line}, in program\n    lib.get_variable("v", [2])\n'
    )


@pytest.mark.parametrize("use_resource", [False, True])
def test_constraint_of_a_scope(use_resource: bool) -> None:
    """It is that of variables which bring none, and not of those of scopes inside."""

    def halved(value: Any) -> Any:
        return value * 0.5

    def kept(value: Any) -> Any:
        return value

    def constraints(lib: Any) -> list[Any]:
        with lib.Graph().as_default():
            with lib.variable_scope("s", constraint=halved, use_resource=use_resource):
                made = [lib.get_variable("a", []), lib.get_variable("b", [], constraint=kept)]
                with lib.variable_scope("inside"):
                    made.append(lib.get_variable("c", []))
            with lib.variable_scope("other"):
                made.append(lib.get_variable("d", []))
            return [variable.constraint for variable in made]

    theirs = constraints(oracle)
    assert theirs[:2] == [halved, kept]
    assert constraints(tf) == theirs

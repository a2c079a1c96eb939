"""What the update ops refuse in a step, and in which words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.ops.updates import UPDATES, Update, apply, variables
from tests.session.both import assert_same, on_oracle, on_ours
from tests.training.conftest import LocalSessions

SHAPE = (3, 2)
KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
RULES = {u.rule: u for u in UPDATES}


def misfit(
    update: Update,
    use_resource: bool,
    *,
    sparse: bool = False,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    scalars: Mapping[str, Any] | None = None,
    indices: Any = (0, 2),
    gradient: tuple[int, ...] | None = None,
) -> Any:
    """A program with one update whose inputs have shapes that building does not know."""

    def program(library: Any, session: Any) -> Any:
        def hidden(value: Any, dtype: Any = np.float32) -> Any:
            return library.placeholder_with_default(np.asarray(value, dtype), shape=None)

        def start(name: str) -> Any:
            return hidden(np.ones((shapes or {}).get(name, SHAPE)))

        made = variables(library, update, start, use_resource, validate_shape=False)
        given = gradient or ((len(indices), *SHAPE[1:]) if sparse else SHAPE)
        rows = hidden(indices, np.int32) if sparse else None
        numbers = {
            name: hidden(value, np.int64 if name == "global_step" else np.float32)
            for name, value in (scalars or {}).items()
        }
        step = apply(library, update, made, hidden(np.ones(given)), rows, numbers)
        session.run([v.initializer for v in made])
        return session.run(step)

    return program


def test_hyperparameters_must_be_scalars(local_sessions: LocalSessions) -> None:
    for update in RULES.values():
        for name in update.scalars.keys() - {"sign_decay"}:
            for sparse in (False, True) if update.is_sparse else (False,):
                program = misfit(
                    update, update.resource_only, sparse=sparse, scalars={name: [0.1, 0.2]}
                )
                theirs, ours = on_oracle(program), on_ours(program, local_sessions)
                # Some of TensorFlow's texts have a space in front of the colon, or none at all.
                assert ours == (*theirs[:-1], re.sub(r" ?:? ?\[", ": [", theirs[-1]))
                assert ours[1] == "InvalidArgumentError", (update.rule, name)


@pytest.mark.parametrize("rule", ["AddSign", "PowerSign"])
def test_sign_decay_must_be_a_scalar(local_sessions: LocalSessions, rule: str) -> None:
    """TensorFlow ends the process here."""
    outcome = on_ours(misfit(RULES[rule], False, scalars={"sign_decay": [0.1]}), local_sessions)
    assert outcome[1:] == (
        "InvalidArgumentError",
        3,
        f"Apply{rule}",
        "sign_decay is not a scalar: [1]",
    )


@pytest.mark.parametrize(
    ("rule", "sparse", "scalar", "value"),
    [
        ("ProximalAdagrad", False, "lr", 0.0),
        ("ProximalAdagrad", True, "l1", -1.0),
        ("ProximalAdagrad", False, "l2", -1.0),
        ("Ftrl", True, "lr", -1.0),
        ("Ftrl", True, "l1", -1.0),
        ("Ftrl", True, "l2", -1.0),
        ("Ftrl", True, "lr_power", 1.0),
        ("FtrlV2", True, "l2_shrinkage", -1.0),
    ],
)
def test_hyperparameters_out_of_bounds(
    local_sessions: LocalSessions, rule: str, sparse: bool, scalar: str, value: float
) -> None:
    program = misfit(RULES[rule], False, sparse=sparse, scalars={scalar: value})
    assert assert_same(program, local_sessions)[1] == "InvalidArgumentError"


def test_slots_must_have_the_shape_of_the_variable(local_sessions: LocalSessions) -> None:
    for update in RULES.values():
        for slot in update.variables[1:]:
            if (update.rule, slot) in UNCHECKED_THERE:
                continue
            program = misfit(update, update.resource_only, shapes={slot: (2, 2)})
            outcome = assert_same(program, local_sessions)
            assert outcome[1] == "InvalidArgumentError", (update.rule, slot)
            if update.is_sparse:
                program = misfit(update, update.resource_only, sparse=True, shapes={slot: (2, 2)})
                outcome = assert_same(program, local_sessions)
                assert outcome[1] == "InvalidArgumentError", (update.rule, slot)


UNCHECKED_THERE = {
    ("Adadelta", "accum_update"),
    ("AdamWithAmsgrad", "vhat"),
    ("CenteredRMSProp", "mg"),
}
"""TensorFlow reads beyond the ends of two of them, and names the wrong shape for the third."""


@pytest.mark.parametrize(("rule", "slot"), sorted(UNCHECKED_THERE))
def test_slots_that_tensorflow_forgets(local_sessions: LocalSessions, rule: str, slot: str) -> None:
    outcome = on_ours(misfit(RULES[rule], True, shapes={slot: (2, 2)}), local_sessions)
    assert outcome[1] == "InvalidArgumentError"
    assert f"var and {slot} do not have the same shape[3,2] [2,2]" in outcome[-1]


@KINDS
@pytest.mark.parametrize("rule", ["GradientDescent", "Adam", "Ftrl"])
def test_gradient_must_have_the_shape_of_the_variable(
    local_sessions: LocalSessions, rule: str, use_resource: bool
) -> None:
    program = misfit(RULES[rule], use_resource, gradient=(2, 3))
    assert assert_same(program, local_sessions)[1] == "InvalidArgumentError"


@KINDS
@pytest.mark.parametrize("rule", ["Momentum", "Adagrad", "Ftrl", "RMSProp", "AdagradDA"])
@pytest.mark.parametrize(
    "arguments",
    [
        {"indices": [0, 3]},
        {"indices": [-1, 0]},
        {"indices": [[0, 1]], "gradient": (2, 2)},
        {"indices": [0, 1, 2], "gradient": (2, 2)},
        {"gradient": (2, 3)},
        {"shapes": dict.fromkeys(["var", "accum", "linear", "ms", "mom"], ())},
    ],
    ids=["beyond", "negative", "matrix", "more", "wider", "scalar"],
)
def test_rows(
    local_sessions: LocalSessions, rule: str, use_resource: bool, arguments: dict[str, Any]
) -> None:
    if "shapes" in arguments:
        arguments = {"shapes": dict.fromkeys(RULES[rule].variables, ())}
    program = misfit(RULES[rule], use_resource, sparse=True, **arguments)
    assert assert_same(program, local_sessions)[1] == "InvalidArgumentError"


def test_rows_without_elements(local_sessions: LocalSessions) -> None:
    for update in RULES.values():
        if update.is_sparse and not update.resource_only:
            shapes = dict.fromkeys(update.variables, (3, 0))
            program = misfit(update, False, sparse=True, shapes=shapes, gradient=(2, 0))
            assert_same(program, local_sessions)


def test_gradient_of_too_few_dimensions(local_sessions: LocalSessions) -> None:
    """TensorFlow ends the process here."""
    outcome = on_ours(misfit(RULES["Momentum"], False, sparse=True, gradient=(2,)), local_sessions)
    assert outcome[1] == "InvalidArgumentError"
    assert "var and grad must match in dimension 1" in outcome[-1]


@pytest.mark.parametrize("missing", ["var", "accum"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_uninitialized_reference(local_sessions: LocalSessions, missing: str, sparse: bool) -> None:
    def program(library: Any, session: Any) -> Any:
        made = variables(library, RULES["Momentum"], lambda _: np.ones([2], np.float32), False)
        session.run([v.initializer for v in made if v.op.name != missing])
        ones = library.constant([1.0, 1.0])
        rows = library.constant([0, 1]) if sparse else None
        return session.run(apply(library, RULES["Momentum"], made, ones, rows))

    outcome = assert_same(program, local_sessions)
    assert outcome[1] == "FailedPreconditionError"
    assert missing in outcome[-1]


@pytest.mark.parametrize("missing", ["var", "accum"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_uninitialized_handle(local_sessions: LocalSessions, missing: str, sparse: bool) -> None:
    """TensorFlow's error does not say which variable; ours begins alike, and does."""

    def program(library: Any, session: Any) -> Any:
        made = variables(library, RULES["Momentum"], lambda _: np.ones([2], np.float32), True)
        session.run([v.initializer for v in made if v.op.name != missing])
        ones = library.constant([1.0, 1.0])
        rows = library.constant([0, 1]) if sparse else None
        return session.run(apply(library, RULES["Momentum"], made, ones, rows))

    theirs, ours = on_oracle(program), on_ours(program, local_sessions)
    assert ours[:-1] == theirs[:-1]
    assert ours[-1].startswith(theirs[-1])
    assert f"/{missing} holds no value" in ours[-1]


def test_variable_of_another_type() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.Variable([1.0, 2.0], dtype=tf.float64, use_resource=True)
        step = tf.raw_ops.ResourceApplyGradientDescent(
            var=weights.handle, alpha=0.5, delta=tf.constant([1.0, 1.0])
        )
        session.run(weights.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="wrong dtype"):
            session.run(step)


@KINDS
def test_a_refused_update_changes_nothing(
    local_sessions: LocalSessions, use_resource: bool
) -> None:
    def program(library: Any, session: Any) -> Any:
        made = variables(
            library, RULES["Momentum"], lambda _: np.ones([2, 2], np.float32), use_resource
        )
        session.run([v.initializer for v in made])
        rows = library.placeholder(library.int32, [2])
        step = apply(library, RULES["Momentum"], made, library.ones([2, 2]), rows)
        with pytest.raises(library.errors.InvalidArgumentError):
            session.run(step, {rows: [5, 0]})
        return session.run(made)

    assert_same(program, local_sessions)

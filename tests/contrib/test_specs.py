"""tf.contrib.specs: nets of texts, and what TensorFlow 1.15 says of them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import specs
from dataflow.contrib.specs import expressions, operators

NET = "net=(Cr(64,[3,3])|Mp([2,2]))**2|Flat|Fm(10)"


def test_a_net_and_its_summary() -> None:
    with tf.Graph().as_default():
        net = specs.create_net(NET, tf.placeholder(tf.float32, [10, 16, 16, 3], "x"))
        assert net.shape.as_list() == [10, 10]
        assert [each.op.name for each in tf.global_variables()] == [
            f"{layer}/{kind}"
            for layer in ("Conv", "Conv_1", "fully_connected")
            for kind in ("weights", "biases")
        ]
        layer = "variablev2 conv variablev2 biasadd relu maxpool"
        assert specs.tf_structure(net) == (
            f" _ {layer} {layer} _ reshape variablev2 dot variablev2 biasadd softmax"
        )
        assert specs.tf_num_params(net) == 48970
        lines: list[str] = []
        specs.tf_parameter_summary(net, lines.append)
        assert lines == [
            "         0 x                    [10, 16, 16, 3]",
            "      1792 Conv                 [10, 16, 16, 64]",
            "         0 MaxPool2D            [10, 8, 8, 64]",
            "     36928 Conv_1               [10, 8, 8, 64]",
            "         0 MaxPool2D_1          [10, 4, 4, 64]",
            "         0 Flatten              [10, 1024]",
            "     10250 fully_connected      [10, 10]",
        ]
        lines.clear()
        specs.tf_parameter_summary(net, lines.append, combine=False)
        assert lines[1] == "      1728 Conv/Conv2D          [10, 16, 16, 64]" and len(lines) == 13


def test_printed_nets(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default():
        specs.tf_spec_print("net=Fs(2)|Sig", input_shape=[2, 3])
        assert capsys.readouterr().out.splitlines() == [
            "Sigmoid Sigmoid [2, 2]",
            "  fully_connected/Sigmoid Sigmoid [2, 2]",
            "    fully_connected/BiasAdd BiasAdd [2, 2]",
            "      fully_connected/MatMul MatMul [2, 2]",
            "        Placeholder Placeholder [2, 3]",
            "        fully_connected/weights VariableV2 [3, 2]",
            "      fully_connected/biases VariableV2 [2]",
        ]
        specs.tf_spec_summary("net=Fs(2)", input_shape=[2, 3])
        assert capsys.readouterr().out.splitlines() == [
            "         0 Placeholder_1        [2, 3]",
            "         8 fully_connected_1    [2, 2]",
        ]
        x = tf.placeholder(tf.float32, [2, 3])
        specs.tf_print(x + x)
        assert capsys.readouterr().out.splitlines()[-1] == "  <Placeholder_2> Placeholder [2, 3]"
        assert specs.tf_structure(x * x, include_shapes=True) == " [2, 3] _ <> [2, 3] mul"


def test_structure_of_a_text() -> None:
    with tf.Graph().as_default():
        found = specs.tf_spec_structure("net=Cr(64, [5,5])", input_shape=(1, 8, 8, 1))
        assert found == "_ variablev2 conv variablev2 biasadd relu"


def test_values_of_operators() -> None:
    x = np.array([[1.0, -2.0, 3.0, -4.0], [0.5, 0.25, -0.125, 2.0]], np.float32)
    expected: dict[str, Any] = {
        "Relu + Id * Id": np.maximum(x, 0) + x * x,
        "Id ** 0": x,
        "Relu ** 3": np.maximum(x, 0),
        "Conc(1, Id, Tanh)": np.concatenate([x, np.tanh(x)], 1),
        "Reshape([4, 2]) | Transpose([1, 0]) | Expand(0) | Squeeze": x.reshape(4, 2).T,
        "Sig": 1 / (1 + np.exp(-x)),
        "Smax": np.exp(x) / np.exp(x).sum(1, keepdims=True),
        "Idx() | Flat": x,
        "Import('f = lambda x: x + 1')": x + 1,
        "External('operator', 'neg')": -x,
        "k * Relu": 3 * np.maximum(x, 0),
    }
    given = {"k": expressions.Callable(lambda _: 3.0)}
    with tf.Graph().as_default(), tf.Session() as session:
        tensor = tf.constant(x)
        for text, value in expected.items():
            made = specs.create_net(f"net = {text}", tensor, given)
            np.testing.assert_allclose(session.run(made), value, rtol=1e-5, err_msg=text)


def test_variables_that_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators.Shared, "shared_number", 1)
    with tf.Graph().as_default():
        x = tf.zeros([2, 4])
        specs.create_net("f = Shared(Fr(4)); net = f | f | f + f * Id", x)
        named = specs.create_net("net = Shared(Fr(4), name='mine')", x)
        assert [each.op.name for each in tf.global_variables()] == [
            *("Shared_1/fully_connected/weights", "Shared_1/fully_connected/biases"),
            *("mine/fully_connected/weights", "mine/fully_connected/biases"),
        ]
        assert named.op.name == "mine/fully_connected/Relu"
        with tf.variable_scope("mine") as scope:
            operators.Shared(operators.Fr(4), scope=scope).funcall(x)
        assert len(tf.global_variables()) == 4
        variable = specs.create_net("net = Var('v', shape=[3])", x)
        assert variable.op.name == "v" and specs.tf_num_params(variable.op) == 3


def test_arguments_by_place() -> None:
    place = expressions.get_positional
    assert place([1], {"a": 2}) == ([1], {"a": 2})
    assert place([], {"_1": 5, "b": 6}) == ([None, 5], {"b": 6})
    assert place([1, None], {"_0": 7, "_1": 8}) == ([1, 8], {})
    assert place([1], {"_0": 7}, True) == ([7], {})
    subtract = operators.Fun(lambda x, *rest: (x, *rest))
    assert subtract(1)(2).funcall(0) == (0, 2, 1)
    assert [operators.Dws(3).args, operators.Dwm(3).args] == [[3, [1, 1]]] * 2


def test_parameters() -> None:
    found = specs.eval_params("a = 3; b = sqrt(a + z)", {"z": 1})
    assert found == {"a": 3, "b": 2.0, "z": 1}
    random.seed(0)
    text = "u=Uf(1,2); i=Ui(1,3); l=Lf(1,10); k=Li(2,9); n=Nt(5,2,limit=.1)"
    drawn = [specs.eval_params(text) for _ in range(200)]
    assert {each["i"] for each in drawn} == {1, 2, 3}
    assert {each["k"] for each in drawn} == set(range(2, 10))
    assert all(1 <= each["u"] <= 2 and 1 <= each["l"] <= 10 for each in drawn)
    assert {4.8, 5.2} <= {each["n"] for each in drawn}
    assert np.median([each["l"] for each in drawn]) == pytest.approx(math.sqrt(10), abs=0.7)


def test_names_within_a_with(capsys: pytest.CaptureFixture[str]) -> None:
    with specs.ops:
        net = Fun(len) | Fun(str)  # type: ignore[name-defined]  # noqa: F821
    assert "Fun" not in globals() and net.funcall("abc") == "3"
    expressions.debug()
    net.funcall("abc")
    expressions.debug(False)
    net.funcall("abc")
    assert capsys.readouterr().out.count("DEBUG:") == 2


def test_what_is_refused() -> None:
    x: Any = None
    refused: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: specs.create_net("import os", x), ValueError, "keyword 'import' found in spec"),
        (lambda: specs.create_net("x=1", x), ValueError, "spec failed to create 'net': x=1"),
        (lambda: specs.eval_params("while 1: a=2"), ValueError, "keyword 'while' found in spec"),
        (lambda: operators.Import("g=1"), ValueError, 'failed to define "f": g=1'),
        (lambda: operators.External("math", "no"), KeyError, "no"),
        (lambda: operators.Fun(3), ValueError, "3: is not callable"),
        (lambda: operators.Id**-1, AssertionError, "needs n >= 0, not -1"),
        (
            lambda: operators.Shared(operators.Id, scope=3),
            ValueError,
            "scope must be None or a VariableScope",
        ),
        (lambda: operators.Shared(operators.Id, x or 3), ValueError, "name must be None or a"),
    ]
    for make, error, text in refused:
        with pytest.raises(error, match=text):
            make()
    assert specs.eval_spec('a = \'import\'; b = "def \\" x"')["a"] == "import"

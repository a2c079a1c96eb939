"""Hyperparameters, as TensorFlow 1.15 documents them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib.training import HParams, parse_values


def hparams() -> HParams:
    return HParams(rate=0.1, steps=10, name="a", on=True, sizes=[1, 2, 3], words=["x"])


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", {}),
        ("rate=1", {"rate": 1.0}),
        ("rate=1e-3,steps=-4", {"rate": 1e-3, "steps": -4}),
        ("name=b c,on=false", {"name": "b c", "on": False}),
        ("on=0, name=", {"on": False, "name": ""}),
        ("sizes=[4,5]", {"sizes": [4, 5]}),
        ("sizes[1]=7,sizes[0] = 8", {"sizes": [8, 7, 3]}),
        ("words=[p, q],steps=3", {"words": ["p", "q"], "steps": 3}),
    ],
)
def test_text(text: str, changed: dict[str, Any]) -> None:
    found = hparams()
    assert found.parse(text) is found
    assert found.values() == {**hparams().values(), **changed}
    assert [type(value) for value in found.values().values()] == [
        type(value) for value in hparams().values().values()
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rate", "Malformed hyperparameter value: rate"),
        ("rate=0.1,=3", "Malformed hyperparameter value: =3"),
        ("none=1", "Unknown hyperparameter type for none"),
        ("steps=1.5", "Could not parse hparam 'steps' of type 'int' with value '1.5'"),
        ("on=maybe", "Could not parse hparam 'on'"),
        ("sizes=[1,b]", "Could not parse hparam 'sizes'"),
        ("steps=[1]", "Must not pass a list for single-valued parameter: steps"),
        ("sizes=1", "Must pass a list for multi-valued parameter: sizes"),
        ("steps=1,steps=2", "Multiple assignments to variable 'steps'"),
        ("sizes[0]=1,sizes[0]=2", "Multiple assignments to variable 'sizes[0]'"),
        ("sizes[3]=1", "There is no element 3 of sizes"),
        ("sizes[0]=[1]", "Assignment of a list to a list index."),
    ],
)
def test_malformed_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("[", r"\[")):
        hparams().parse(text)


def test_values_keep_their_type() -> None:
    found = hparams()
    found.set_hparam("rate", 2)
    assert found.rate == 2.0 and isinstance(found.rate, float)
    for name, value in (("steps", 1.5), ("steps", True), ("on", 1), ("name", 3), ("rate", "1")):
        with pytest.raises(ValueError, match=f"Could not cast hparam '{name}'"):
            found.set_hparam(name, value)
    with pytest.raises(KeyError, match="none"):
        found.set_hparam("none", 1)
    for name, value, message in (
        ("rate", 1, "reserved: rate"),
        ("parse", 1, "reserved: parse"),
        ("empty", [], "cannot be empty: empty"),
    ):
        with pytest.raises(ValueError, match=message):
            found.add_hparam(name, value)
    found.add_hparam("late", None)
    found.set_hparam("late", 3)
    assert found.late == 3 and "late" in found and "none" not in found
    found.del_hparam("late")
    found.del_hparam("late")
    assert "late" not in found and not hasattr(found, "late")


def test_json_and_defaults() -> None:
    found = hparams()
    assert json.loads(found.to_json()) == found.values()
    assert found.to_json(sort_keys=True, separators=(",", ":")).startswith('{"name":"a","on":true')
    found.parse_json('{"rate": 3, "sizes": [9]}')
    assert found.rate == 3.0 and found.sizes == [9]
    with pytest.raises(ValueError, match="Expecting"):
        found.parse_json("{")
    assert found.get("steps") == 10 and found.get("none", 4) == 4 and found.get("steps", 5) == 10
    cast = "Could not cast hparam 'steps' of type '<class 'int'>' from value 'a'"
    for name, default, kind, why in (
        ("steps", "a", "<class 'int'>", f"default=a. {cast}"),
        ("sizes", 3, "list<<class 'int'>>", "default=3"),
        ("steps", [3], "<class 'int'>", "default=[3]"),
    ):
        with pytest.raises(ValueError, match="incompatible") as error:
            found.get(name, default)
        assert str(error.value) == f"Hparam '{name}' of type '{kind}' is incompatible with {why}"
    assert repr(HParams(b=1, a="x")) == "HParams([('a', 'x'), ('b', 1)])"
    assert str(HParams(b=1, a="x")) == "b=1,a=x"
    found.set_model_structure("deep")
    assert found.get_model_structure() == "deep"
    assert parse_values("a=1,b=2", {"a": int}, ignore_unknown=True) == {"a": 1}
    assert found.set_from_map({"rate": 4.0}) is found and found.rate == 4.0
    with pytest.raises(ValueError, match=r"Could not cast hparam 'steps' .* from value \{0: 3\}"):
        found.parse("steps[0]=3")


def test_messages() -> None:
    values = {
        "a": 1,
        "b": 2.5,
        "c": "x",
        "d": True,
        "e": [1, 2],
        "f": ["a", "b"],
        "g": [0.5],
        "h": [True, False],
    }
    found = HParams(**values)
    message = found.to_proto()
    assert message.hparam["f"].bytes_list.value == [b"a", b"b"]
    assert {name: held.WhichOneof("kind") for name, held in message.hparam.items()} == {
        "a": "int64_value",
        "b": "float_value",
        "c": "bytes_value",
        "d": "bool_value",
        "e": "int64_list",
        "f": "bytes_list",
        "g": "float_list",
        "h": "bool_list",
    }
    assert HParams(message).values() == HParams.from_proto(message).values() == values
    assert type(HParams(message).a) is int and type(HParams(message).d) is bool
    with pytest.raises(ValueError, match="mutually exclusive"):
        HParams(message, z=1)
    with pytest.raises(ValueError, match="Unsupported parameter type: <class 'NoneType'>"):
        HParams(a=None).to_proto()
    with pytest.raises(TypeError, match="must be an HParamDef, not 3"):
        HParams(3)  # type: ignore[arg-type]
    # A graph's hyperparameters come back with its MetaGraphDef.
    with tf.Graph().as_default() as graph:
        graph.add_to_collection("hparams", found)
        exported = tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(exported)
        (back,) = graph.get_collection("hparams")
    assert back.values() == values


def test_values_as_the_former_library_takes_them() -> None:
    assert HParams(on=False).parse("on=2").on is True
    assert HParams(words=["a"]).parse("words=[p q,r]").words == ["p", "q", "r"]
    with pytest.raises(ValueError, match="Must pass a list for multi-valued parameter: sizes"):
        HParams(sizes=[1]).set_hparam("sizes", (1, 2))
    with pytest.raises(ValueError, match="from value None"):
        HParams(steps=1).set_hparam("steps", None)
    with pytest.raises(TypeError, match="not JSON serializable"):
        HParams(act=len).to_json()

"""Hyperparameters, as TensorFlow 1.15 documents them."""

from __future__ import annotations

import json
from typing import Any

import pytest

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
        ("sizes[0]=1,sizes[0]=2", "Multiple assignments to variable 'sizes'"),
        ("sizes[3]=1", "There is no element 3 of sizes"),
        ("sizes[0]=[1]", "Could not parse hparam 'sizes'"),
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

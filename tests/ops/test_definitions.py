"""What a schema that cannot be read is told; nothing of it is registered."""

from __future__ import annotations

from typing import Any

import pytest

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op, find


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"attrs": ["T = 3"]}, "Op 'Nowhere': cannot parse attr 'T = 3'"),
        ({"attrs": ["T: kind"]}, "Op 'Nowhere': attr 'T: kind' has unknown kind 'kind'"),
        ({"attrs": ["x: float = one"]}, "Op 'Nowhere': could not convert string to float: 'one'"),
        ({"inputs": "a T"}, "Op 'Nowhere': cannot parse argument 'a T'"),
        ({"outputs": "a: int32, b:"}, "Op 'Nowhere': cannot parse argument ' b:'"),
        (
            {"inputs": "a: N", "attrs": ["N: int"]},
            "Op 'Nowhere': argument 'a: N' has attr 'N' of kind int as type",
        ),
    ],
)
def test_refusals(options: dict[str, Any], text: str) -> None:
    for _ in range(2):
        with pytest.raises(ValueError) as caught:
            define_op("Nowhere", shape=lambda c: [], gradient=NOT_DIFFERENTIABLE, doc="", **options)
        assert str(caught.value).startswith(text)
        assert find("Nowhere") is None


def test_the_same_text_means_what_its_op_says() -> None:
    """`a: T` is of a type in one op and of several in another."""
    of_one, of_many = find("Identity"), find("IdentityN")
    assert of_one is not None and of_many is not None
    assert of_one.inputs[0].type_attr == "T" and not of_one.inputs[0].type_list_attr
    assert of_many.inputs[0].type_list_attr == "T" and not of_many.inputs[0].type_attr
    assert of_one.inputs[0].name == of_many.inputs[0].name == "input"

"""A handle is nothing whose value stays the same."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf
from tests.session.both import oracle


def test_a_handle_is_refused() -> None:
    def words(lib: Any) -> str:
        with lib.Graph().as_default(), lib.Session() as session:
            variable = lib.get_variable("v", [], use_resource=True)
            session.run(variable.initializer)
            with pytest.raises(lib.errors.InvalidArgumentError) as caught:
                session.run(lib.raw_ops.GuaranteeConst(input=variable.handle))
        return str(caught.value.message)

    expected = "Input tensor cannot be a resource variable handle."
    assert expected in words(tf) and expected in words(oracle)

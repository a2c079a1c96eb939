"""README's program runs without what may be absent; other Pythons: make test-pythons."""

from __future__ import annotations

import sys

import pytest

from tools import pythons


def test_what_is_claimed() -> None:
    assert pythons.claimed() == ["3.10", "3.11", "3.12", "3.13"]
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert pythons.interpreter("2.0") is None
    assert pythons.interpreter(own) is None or pythons.interpreter(own)


@pytest.mark.long
def test_this_python() -> None:
    assert dict(pythons.tries(sys.executable)) == {
        "import": "",
        "README's program": "",
        "a step on Ray": "",
        **{f"without {absent}": "" for absent in pythons.MAY_BE_ABSENT},
    }

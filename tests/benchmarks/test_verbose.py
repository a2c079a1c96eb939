"""What oneDNN writes of its calls becomes a profile."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.benchmarks.folder import load

_OLD = "onednn_verbose,exec,cpu,{},jit:one,forward,mds,attr,alg,{},{}"
_NEW = "onednn_verbose,v1,primitive,exec,cpu,{},jit:two,forward,mds,attr,alg,{},{}"


def _lines(form: str, *milliseconds: tuple[float, ...]) -> list[str]:
    lines = ["onednn_verbose,info,cpu", form.format("convolution", "warm", 9)]
    for first, *others in milliseconds:
        lines += ["step begins", "onednn_verbose,v1,primitive,create:cache_hit,cpu,convolution"]
        lines.append(form.format("convolution", "a", first))
        lines += [form.format("pooling", "b", one) for one in others]
        lines.append(f"step took {(first + sum(others)) / 1e3 + 0.001}")
    return lines


@pytest.mark.parametrize("form", [_OLD, _NEW])
def test_the_least_of_each_call(form: str) -> None:
    verbose = load("verbose")
    # The second step was cut otherwise.
    found = verbose.read(_lines(form, (2.0, 1.0, 0.5), (0.1, 0.1), (1.0, 1.5, 0.25)))
    assert found.seconds == pytest.approx(0.0012)
    assert [call.seconds for call in found.calls] == pytest.approx([0.001, 0.001, 0.00025])
    assert [call.shape for call in found.calls] == ["a", "b", "b"]
    assert found.inside == pytest.approx(0.00225)


def test_the_largest_losses_come_first() -> None:
    verbose = load("verbose")
    profiles = {
        "ours": verbose.read(_lines(_OLD, (2.0, 5.0))),
        "theirs": verbose.read(_lines(_NEW, (1.0, 2.0, 1.5))),
    }
    written = io.StringIO()
    Console(width=160, file=written).print(verbose.table("A net", profiles))
    rows = [line.split() for line in written.getvalue().splitlines() if "jit:one" in line]
    assert [row[1] for row in rows] == ["pooling", "convolution"]
    assert {"5.000", "3.500", "1.500", "jit:one", "jit:two"} <= set(rows[0])

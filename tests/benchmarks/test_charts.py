"""Charts: well-formed SVG, values where they belong on their axes, refusals."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from tests.benchmarks.folder import load

svg = load("svg")
_SPACE = "{http://www.w3.org/2000/svg}"


def drawn(*charts: Any) -> ElementTree.Element:
    return ElementTree.fromstring(svg.page(charts))


def paths(root: ElementTree.Element) -> list[list[tuple[float, ...]]]:
    """The points of each line on the page."""
    return [
        [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
        for line in root.iter(f"{_SPACE}polyline")
    ]


def texts(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{_SPACE}text")]


def test_points_are_in_proportion() -> None:
    lines = [svg.Line("up", [(0, 0), (5, 50), (10, 100)]), svg.Line("flat", [(0, 20), (10, 20)])]
    root = drawn(svg.Chart("Title", "across", "up", lines))
    up, flat = paths(root)
    assert up[1][0] == pytest.approx((up[0][0] + up[2][0]) / 2)
    assert up[1][1] == pytest.approx((up[0][1] + up[2][1]) / 2)
    # Larger values are further up, where y is smaller.
    assert up[0][1] > up[1][1] > up[2][1]
    assert flat[0][1] == flat[1][1] == pytest.approx(up[0][1] + 0.2 * (up[2][1] - up[0][1]))
    assert {"Title", "across", "up", "flat", "0", "10", "100"} <= set(texts(root))


def test_logarithmic_axes() -> None:
    line = svg.Line("", [(1, 0.1), (10, 10), (1000, 1000)])
    root = drawn(svg.Chart("", "", "", [line], log_x=True, log_y=True))
    (points,) = paths(root)
    assert points[1][0] - points[0][0] == pytest.approx((points[2][0] - points[1][0]) / 2, abs=0.2)
    assert points[0][1] - points[1][1] == pytest.approx(points[1][1] - points[2][1], abs=0.2)
    assert {"1", "10", "100", "1000", "0.1"} <= set(texts(root))


def test_charts_stand_side_by_side() -> None:
    chart = svg.Chart("c", "x", "y", [svg.Line("l", [(0, 1), (1, 2)])])
    moves = [g.attrib["transform"] for g in drawn(chart, chart, chart).iter(f"{_SPACE}g")]
    assert moves == ["translate(0 0)", "translate(560 0)", "translate(0 360)"]


def test_text_is_escaped() -> None:
    chart = svg.Chart("a < b & c", "x", "y", [svg.Line("<l>", [(0, 1), (1, 2)])])
    assert {"a < b & c", "<l>"} <= set(texts(drawn(chart)))


def test_one_point_and_equal_values() -> None:
    for points in ([(3, 3)], [(0, 0), (0, 0)], [(1, 5), (2, 5)]):
        assert paths(drawn(svg.Chart("", "", "", [svg.Line("", points)])))


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="The chart 'empty' has no points"):
        drawn(svg.Chart("empty", "", "", [svg.Line("", [])]))
    with pytest.raises(ValueError, match="0 has no place on a logarithmic axis"):
        drawn(svg.Chart("", "", "", [svg.Line("", [(0, 1), (1, 1)])], log_x=True))

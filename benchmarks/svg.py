"""Line charts as SVG, with what benchmarks need of them and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

_WIDTH, _HEIGHT = 560, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 36, 48
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


@dataclass(frozen=True, slots=True)
class Line:
    """Points that are joined in the order given."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over common axes."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False


def page(charts: Sequence[Chart], columns: int = 2) -> str:
    """All charts as one SVG document, row by row.

    Raises:
      ValueError: A chart has no points, or one on a logarithmic axis that is not positive.
    """
    rows = math.ceil(len(charts) / columns)
    width, height = _WIDTH * min(columns, len(charts)), _HEIGHT * rows
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for index, chart in enumerate(charts):
        row, column = divmod(index, columns)
        parts.append(f'<g transform="translate({column * _WIDTH} {row * _HEIGHT})">')
        parts += _drawn(chart)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _drawn(chart: Chart) -> list[str]:
    points = [point for line in chart.lines for point in line.points]
    if not points:
        raise ValueError(f"The chart '{chart.title}' has no points.")
    x_ticks, across = _axis([x for x, _ in points], chart.log_x, _LEFT, _WIDTH - _RIGHT)
    y_ticks, down = _axis([y for _, y in points], chart.log_y, _HEIGHT - _BOTTOM, _TOP)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [_text(middle, 20, chart.title, "middle", ' font-weight="bold"')]
    for tick in x_ticks:
        x = across(tick)
        parts.append(_stroke(x, _TOP, x, bottom))
        parts.append(_text(x, bottom + 16, f"{tick:g}", "middle"))
    for tick in y_ticks:
        y = down(tick)
        parts.append(_stroke(_LEFT, y, right, y))
        parts.append(_text(_LEFT - 6, y + 4, f"{tick:g}", "end"))
    parts.append(_text(middle, _HEIGHT - 12, chart.x_label, "middle"))
    turned = f' transform="rotate(-90 14 {(_TOP + bottom) / 2})"'
    parts.append(_text(14, (_TOP + bottom) / 2, chart.y_label, "middle", turned))
    for index, line in enumerate(chart.lines):
        colour = _COLOURS[index % len(_COLOURS)]
        path = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in line.points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(line.points) <= 20:
            parts += [
                f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>'
                for x, y in line.points
            ]
        if line.name:
            y = _TOP + 14 + 15 * index
            parts.append(_text(_LEFT + 10, y, line.name, "start", f' fill="{colour}"'))
    return parts


def _axis(
    values: Sequence[float], logarithmic: bool, start: float, end: float
) -> tuple[list[float], Callable[[float], float]]:
    """Ticks of an axis, and where on the page a value stands."""
    low, high = min(values), max(values)
    if logarithmic:
        if low <= 0:
            raise ValueError(f"{low} has no place on a logarithmic axis.")
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        last = max(last, first + 1)
        factors = (1,) if last - first > 2 else (1, 2, 5)
        ticks = [f * 10.0**e for e in range(first, last + 1) for f in factors]
        ticks = [tick for tick in ticks if tick <= 10.0**last]
        return ticks, lambda v: start + (math.log10(v) - first) / (last - first) * (end - start)
    low = min(low, 0.0)
    step = _step((high - low) or 1.0)
    top = step * max(1, math.ceil(high / step - 1e-9))
    bottom = step * math.floor(low / step + 1e-9)
    count = round((top - bottom) / step)
    ticks = [bottom + step * index for index in range(count + 1)]
    return ticks, lambda v: start + (v - bottom) / (top - bottom) * (end - start)


def _step(span: float) -> float:
    """A round distance of ticks, of which four to ten make the span."""
    unit = 10.0 ** math.floor(math.log10(span / 4))
    return next(f * unit for f in (1.0, 2.0, 5.0, 10.0) if span / (f * unit) <= 8)


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'

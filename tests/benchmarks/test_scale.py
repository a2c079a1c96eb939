"""The model of many workers: each term counts as often as the formula says."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from tests.benchmarks.folder import load

model = load("scaling.model")
_NONE = model.Terms(*[0.0 for _ in fields(model.Terms)])


@pytest.mark.parametrize(
    ("term", "workers", "servers", "times"),
    [
        ("one_device_us", 1, 1, 1),
        ("one_device_us", 100, 16, 1),
        ("client_us", 5, 16, 16),
        ("hop_us", 7, 3, 2),
        ("peer_us", 9, 16, 15),
        ("server_us", 1, 16, 0),
        ("server_us", 100, 16, 99),
    ],
)
def test_terms(term: str, workers: int, servers: int, times: int) -> None:
    terms = replace(_NONE, **{term: 3.0})
    assert model.latency(terms, workers, servers) == 3.0 * times


def test_the_network_counts_for_each_message() -> None:
    assert model.latency(_NONE, 10, 4, network_us=25.0) == 100.0


def test_terms_are_found_in_points_that_follow_the_model() -> None:
    scale = load("scale")

    def point(kind: str, size: int, us: float, **more: Any) -> Any:
        values = {"rate": 0.0, "client_us": 0.0, "device_us": 0.0, "master_us": 0.0} | more
        return scale.Point(kind, size, us, **values)

    points = [
        *[point("devices", n, 70.0 + 5 * n, client_us=20.0 + 7 * n) for n in (1, 2, 4, 8)],
        *[point("hops", n, 60.0 + 40 * n) for n in (0, 1, 4)],
        *[point("workers", n, 1.0, device_us=848.0, servers=16, server_us=50.0) for n in (1, 4)],
    ]
    found = scale.terms_of(points)
    wanted = {"one_device_us": 75, "client_us": 7, "hop_us": 40, "peer_us": 3, "server_us": 50}
    for name, value in wanted.items():
        assert getattr(found, name) == pytest.approx(value)

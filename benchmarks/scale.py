"""Null-step latency and rate against devices, sessions, partitions and edges, with a plot.

python benchmarks/scale.py

`benchmarks/scale.md` carries the terms found here on to 100 and 1,000 workers.
"""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from actor_processes import living_actors, processor_seconds
from clusters import own_ray
from local import machine, repeats_for, time_round
from rich.console import Console
from rich.table import Table
from scaling.model import Terms, latency
from scaling.programs import Step, fetch_from_each, hops, parameter_server_step, side_by_side
from svg import Chart, Line, page

import dataflow as tf

DEVICES = (1, 2, 4, 8, 16, 32)
SESSIONS = (1, 2, 4, 8, 16)
HOPS = (0, 1, 2, 4, 8, 16)
EDGES = (1, 4, 16, 64)
CLUSTERS = ((1, 1), (1, 4), (1, 16), (2, 16), (4, 16), (8, 16))
"""Workers and parameter servers."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a step costs at one size."""

    kind: str
    size: int
    us: float
    """Median time of a step, as its session sees it."""
    rate: float
    """Steps a second of all sessions together."""
    client_us: float
    """Processor time of this process a step."""
    device_us: float
    """Processor time of all device actors together a step."""
    master_us: float
    """Processor time of the master a step; Ray's own threads in it are counted."""
    servers: int = 0
    """Number of devices that are parameter servers."""
    server_us: float = 0.0
    """Processor time of each of them a step."""


@dataclass(frozen=True, slots=True)
class Used:
    """Seconds of processors."""

    client: float
    master: float
    devices: tuple[float, ...]


class Clock:
    """Processor time of this process, of the master and of each device since the last look."""

    def __init__(self) -> None:
        actors = living_actors()
        self._masters = [actor.pid for actor in actors if actor.is_master]
        devices = [actor for actor in actors if actor.is_device]
        self._devices = [a.pid for a in sorted(devices, key=lambda a: int(a.name.split(":")[-1]))]
        self._last = self._read()

    def lap(self) -> Used:
        """What was used since the last call."""
        now, last = self._read(), self._last
        self._last = now
        devices = tuple(b - a for a, b in zip(last.devices, now.devices, strict=True))
        return Used(now.client - last.client, now.master - last.master, devices)

    def _read(self) -> Used:
        return Used(
            time.process_time(),
            sum(map(processor_seconds, self._masters)),
            tuple(map(processor_seconds, self._devices)),
        )


class Bench:
    """Sessions on one server, and the points that were measured."""

    def __init__(self, target: str, seconds: float, rounds: int) -> None:
        self.points: list[Point] = []
        self._target = target
        self._seconds = seconds
        self._rounds = rounds
        self._clock = Clock()

    def alone(self, kind: str, size: int, build: Callable[[Any], Step]) -> None:
        """Times the step of one session."""
        with tf.Graph().as_default(), tf.Session(self._target) as session:
            step = build(session)
            repeats = repeats_for(step, self._seconds)
            self._clock.lap()
            taken = [time_round(step, repeats) for _ in range(self._rounds)]
            self._add(kind, size, taken, 1e6 / statistics.median(taken), repeats * self._rounds)

    def together(
        self, kind: str, size: int, build: Callable[[Any, int], Step], servers: int = 0
    ) -> None:
        """Times the steps of several sessions, each with a thread and a graph of its own."""
        sessions = [tf.Session(self._target, graph=tf.Graph()) for _ in range(size)]
        steps = []
        for number, session in enumerate(sessions):
            with session.graph.as_default():
                steps.append(build(session, number))
        repeats = max(5, repeats_for(steps[0], self._seconds * self._rounds) // size)
        for step in steps:
            repeats_for(step, 0.0)
        taken: list[float] = []
        gate = threading.Barrier(size + 1)

        def work(step: Step) -> None:
            gate.wait()
            for _ in range(repeats):
                start = time.perf_counter()
                step()
                taken.append((time.perf_counter() - start) * 1e6)

        threads = [threading.Thread(target=work, args=(step,)) for step in steps]
        for thread in threads:
            thread.start()
        self._clock.lap()
        start = time.perf_counter()
        gate.wait()
        for thread in threads:
            thread.join()
        rate = size * repeats / (time.perf_counter() - start)
        self._add(kind, size, taken, rate, size * repeats, servers)
        for session in sessions:
            session.close()

    def _add(
        self, kind: str, size: int, us: Sequence[float], rate: float, steps: int, servers: int = 0
    ) -> None:
        used = self._clock.lap()
        scale = 1e6 / steps
        point = Point(
            kind,
            size,
            statistics.median(us),
            rate,
            used.client * scale,
            sum(used.devices) * scale,
            used.master * scale,
            servers,
            sum(used.devices[:servers]) / max(servers, 1) * scale,
        )
        click.echo(f"{point}", err=True)
        self.points.append(point)


def measure(target: str, devices: Sequence[int], seconds: float, rounds: int) -> list[Point]:
    """All points that so many devices allow."""
    bench = Bench(target, seconds, rounds)
    for size in devices:
        bench.alone("devices", size, lambda session, n=size: fetch_from_each(session, n))
    for size in SESSIONS:
        bench.together("sessions", size, lambda session, _: fetch_from_each(session, 1))
    for size in HOPS:
        bench.alone("hops", size, lambda session, n=size: hops(session, n))
    for size in devices:
        bench.alone("partitions", size, lambda session, n=size: hops(session, n - 1, n))
    for size in EDGES:
        bench.alone("edges", size, lambda session, n=size: side_by_side(session, n))
    for workers, servers in CLUSTERS:
        if workers + servers > max(devices):
            continue
        bench.together(
            "workers",
            workers,
            lambda session, number, s=servers: parameter_server_step(session, s + number, s),
            servers,
        )
    return bench.points


def slope(points: Sequence[Point], value: Callable[[Point], float]) -> float:
    """What a step costs more for each unit of size: least squares."""
    sizes, values = [p.size for p in points], [value(p) for p in points]
    return float(np.polyfit(sizes, values, 1)[0])


def terms_of(points: Sequence[Point]) -> Terms:
    """The terms of the model, from what was measured."""
    of = {kind: [p for p in points if p.kind == kind] for kind in {p.kind for p in points}}
    first = of["devices"][0]
    return Terms(
        one_device_us=first.us,
        client_us=slope(of["devices"], lambda p: p.client_us),
        hop_us=slope(of["hops"], lambda p: p.us),
        peer_us=statistics.median(p.device_us / p.servers - p.server_us for p in of["workers"]),
        server_us=statistics.median(p.server_us for p in of["workers"]),
    )


def charts(points: Sequence[Point], terms: Terms) -> list[Chart]:
    """The plot."""
    of = {kind: [p for p in points if p.kind == kind] for kind in {p.kind for p in points}}

    def line(kind: str, name: str, value: Callable[[Point], float]) -> Line:
        return Line(name, [(p.size, value(p)) for p in of[kind]])

    workers = [1, 3, 10, 30, 100, 300, 1000]
    return [
        Chart(
            "Null step against devices",
            "devices",
            "microseconds",
            [
                line("devices", "time of a step", lambda p: p.us),
                line("devices", "processor time of the client", lambda p: p.client_us),
                line("devices", "of the devices, together", lambda p: p.device_us),
                line("devices", "of the master", lambda p: p.master_us),
            ],
        ),
        Chart(
            "Sessions at once, one device",
            "sessions",
            "steps a second",
            [line("sessions", "all together", lambda p: p.rate)],
        ),
        Chart(
            "Edges and partitions",
            "number",
            "microseconds",
            [
                line("hops", "hops between two devices, in turn", lambda p: p.us),
                line("partitions", "devices in a chain", lambda p: p.us),
                line("edges", "edges side by side", lambda p: p.us),
            ],
        ),
        Chart(
            "Null step of parameter servers, carried on (16 servers)",
            "workers",
            "milliseconds",
            [
                Line("model", [(n, latency(terms, n, 16) / 1000) for n in workers]),
                Line("published", [(1, 1.8), (100, 8.8)]),
            ],
            log_x=True,
            log_y=True,
        ),
    ]


def shown(points: Sequence[Point]) -> Table:
    """The table of the points."""
    table = Table("", "size", "us a step", "steps/s", "client us", "devices us", "master us")
    for p in points:
        size = f"{p.size} of {p.servers} servers" if p.servers else str(p.size)
        used = [f"{each:.0f}" for each in (p.client_us, p.device_us, p.master_us)]
        table.add_row(p.kind, size, f"{p.us:.0f}", f"{p.rate:.0f}", *used)
    return table


@click.command()
@click.option("--devices", default=max(DEVICES), help="The largest number of devices.")
@click.option("--seconds", default=0.3, help="About how long a round takes.")
@click.option("--rounds", default=5, help="Rounds of each point.")
@click.option("--output", type=Path, default=Path("benchmarks/results/scale.json"))
def main(devices: int, seconds: float, rounds: int, output: Path) -> None:
    """Prints a table, and writes it as JSON and as a plot beside it."""
    counts = [count for count in DEVICES if count <= devices]
    config = tf.ConfigProto(device_count={"CPU": max(counts)}, operation_timeout_in_ms=180_000)
    with own_ray():
        server = tf.train.Server({"worker": ["localhost:0"]}, config=config)
        points = measure(server.target, counts, seconds, rounds)
        server.stop()
    terms = terms_of(points)
    content: dict[str, Any] = {
        "machine": machine(),
        "points": [asdict(point) for point in points],
        "terms": asdict(terms),
        "model_ms": {
            f"{n} workers": round(latency(terms, n, 16) / 1000, 3) for n in (1, 10, 100, 1000)
        },
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(content, indent=1) + "\n")
    output.with_suffix(".svg").write_text(page(charts(points, terms)))
    console = Console(width=110)
    console.print(shown(points))
    console.print(content["terms"], content["model_ms"])


if __name__ == "__main__":
    main()

"""Mixed steps from 9 threads that open and close sessions, while processes are killed and frozen,
steps are interrupted and spoilt graphs sent: are results right, is memory flat, is anything left?
python benchmarks/soak.py --minutes 60
"""

from __future__ import annotations

import faulthandler
import json
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from actor_processes import living_actors
from clusters import own_ray
from local import machine
from rich.console import Console
from soaking.attacks import interrupted_step, malformed_session
from soaking.steps import MixedSteps, WrongResultError
from soaking.world import SERVER_DEVICES, Sample, World, sample
from svg import Chart, Line, page

import dataflow as tf

LOCAL_DEVICES: Final = ("/cpu:0", "/cpu:1")
OWN: Final = tf.ConfigProto(device_count={"CPU": 2}, operation_timeout_in_ms=600_000)
"""Of sessions with devices of their own."""
TARGETS: Final = {"server": 0.75, "in process": 0.2, "ray": 0.05}
"""How often a session is opened on which target."""
PLOTTED: Final = 240
"""Samples that a curve shows, about."""
PATIENCE: Final = 200.0
"""Seconds in which the last session of each thread ends."""
AFTER_A_KILL: Final = (
    tf.errors.UnavailableError,
    tf.errors.AbortedError,
    tf.errors.NotFoundError,
)
"""What a session may see of a kill."""


@dataclass(slots=True)
class Found:
    """What the threads have seen; they share it."""

    steps: Counter[str] = field(default_factory=Counter)
    sessions: Counter[str] = field(default_factory=Counter)
    after_kills: Counter[str] = field(default_factory=Counter)
    """Errors that a kill explains."""
    interrupted: Counter[str] = field(default_factory=Counter)
    """Steps that an interrupt has ended."""
    malformed: Counter[str] = field(default_factory=Counter)
    """What came of spoilt graphs."""
    unexpected: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def one_session(
    world: World, found: Found, owner: str, chooser: random.Random, interrupted: bool = False
) -> None:
    """Opens a session, runs mixed steps and closes it."""
    (kind,) = chooser.choices(list(TARGETS), list(TARGETS.values()))
    server, disturbances = world.enter()
    target = {"server": server, "ray": "ray", "in process": ""}[kind]
    devices = SERVER_DEVICES if kind == "server" else LOCAL_DEVICES
    config = None if kind == "server" else OWN
    try:
        with tf.Graph().as_default() as graph:
            session = tf.Session(target, graph=graph, config=config)
        try:
            steps = MixedSteps(session, devices, owner, chooser.randrange(2**32))
            for _ in range(chooser.randrange(5, 40)):
                if not interrupted:
                    found.steps[steps.run_one()] += 1
                elif ended := interrupted_step(steps, chooser):
                    found.interrupted[ended] += 1
        finally:
            session.close()
        found.sessions[kind] += 1
    except WrongResultError as error:
        found.wrong.append(f"{kind}: {error}")
    except AFTER_A_KILL as error:
        if world.was_disturbed_since(disturbances):
            found.after_kills[type(error).__name__] += 1
        else:
            found.unexpected.append(f"{kind}: {traceback.format_exc()}")
    except Exception:
        found.unexpected.append(f"{kind}: {traceback.format_exc()}")


def attack(world: World, found: Found, chooser: random.Random) -> None:
    """Opens a session with a spoilt graph."""
    server, disturbances = world.enter()
    target = chooser.choice((server, ""))
    try:
        found.malformed[malformed_session(target, chooser)] += 1
    except Exception:
        if not world.was_disturbed_since(disturbances):
            found.unexpected.append(f"malformed: {traceback.format_exc()}")


def soak(
    world: World, found: Found, seconds: float, kill_every: float, every: float, seed: int
) -> list[Sample]:
    """Runs all threads for so long, disturbs them now and then, and looks at the processes."""
    over = threading.Event()
    start = time.monotonic()
    samples: list[Sample] = []

    def is_over() -> bool:
        return over.is_set() or len(found.unexpected) >= 20

    def work(number: int) -> None:
        chooser = random.Random(1000 * seed + number)
        while not is_over():
            one_session(world, found, str(number), chooser)

    def spoil() -> None:
        chooser = random.Random(seed + 1)
        while not is_over():
            attack(world, found, chooser)
            over.wait(0.1)

    def disturb() -> None:
        chooser = random.Random(seed)
        while kill_every and not over.wait(chooser.uniform(0.5, 1.5) * kill_every):
            world.disturb()

    def look() -> None:
        while not over.is_set():
            samples.append(sample(time.monotonic() - start, found.steps.total()))
            over.wait(every)

    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(8)]
    threads += [
        threading.Thread(target=each, name=each.__name__, daemon=True)
        for each in (spoil, disturb, look)
    ]
    for thread in threads:
        thread.start()
    chooser = random.Random(seed + 2)
    while time.monotonic() - start < seconds and not is_over():
        # On this thread, where the system's interrupts come.
        try:
            one_session(world, found, "main", chooser, interrupted=True)
        except KeyboardInterrupt:
            # One that comes in a callback, where Python drops it, comes again a moment later.
            found.interrupted["between steps"] += 1
    over.set()
    end = time.monotonic() + PATIENCE
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    hung = [thread.name for thread in threads if thread.is_alive()]
    if hung:
        faulthandler.dump_traceback()
        found.unexpected.append(f"{hung} hang; standard error shows where.")
    return samples


def growth(samples: Sequence[Sample], what: str) -> float:
    """Megabytes an hour, least squares over the second half, when caches are full."""
    late = samples[len(samples) // 2 :]
    if len(late) < 2:
        return 0.0
    seconds = [s.second for s in late]
    return float(np.polyfit(seconds, [getattr(s, what) for s in late], 1)[0]) * 3600


def charts(samples: Sequence[Sample]) -> list[Chart]:
    """The plot."""

    shown = samples[:: max(1, len(samples) // PLOTTED)]

    def line(name: str, what: str) -> Line:
        return Line(name, [(s.second / 60, getattr(s, what)) for s in shown])

    return [
        Chart(
            "Memory",
            "minutes",
            "megabytes",
            [
                line("client", "client_mb"),
                line("actors", "actors_mb"),
                line("Ray's own processes", "ray_mb"),
                line("shared", "shared_mb"),
            ],
        ),
        Chart(
            "What there is",
            "minutes",
            "number",
            [
                line("actors", "actors"),
                line("threads of the client", "threads"),
                line("its open files", "files"),
            ],
        ),
        Chart("Steps", "minutes", "steps so far", [line("", "steps")]),
    ]


@click.command()
@click.option("--minutes", default=60.0)
@click.option(
    "--kill-every", default=30.0, help="Seconds between kills and freezes, about; 0 for none."
)
@click.option("--sample-every", default=2.0, help="Seconds between two looks at the processes.")
@click.option("--seed", default=1)
@click.option("--output", type=Path, default=Path("benchmarks/results/soak.json"))
def main(minutes: float, kill_every: float, sample_every: float, seed: int, output: Path) -> None:
    """Prints what was found; writes it as JSON and the curves as a plot beside it."""
    # A shell that starts this in the background has it ignore them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    found = Found()
    with own_ray():
        world = World(seed)
        samples = soak(world, found, minutes * 60, kill_every, sample_every, seed)
        world.stop()
        left = sorted(actor.name for actor in living_actors())
    content: dict[str, Any] = {
        "machine": machine(),
        "minutes": minutes,
        "steps": found.steps,
        "sessions": found.sessions,
        "killed": world.killed,
        "frozen": world.frozen,
        "interrupted": found.interrupted,
        "malformed": found.malformed,
        "errors_after_kills": found.after_kills,
        "unexpected": found.unexpected,
        "wrong": found.wrong,
        "actors_left": left,
        "growth_mb_an_hour": {
            what: round(growth(samples, what), 1)
            for what in ("client_mb", "actors_mb", "ray_mb", "shared_mb")
        },
        "samples": [asdict(each) for each in samples],
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(content, indent=1) + "\n")
    output.with_suffix(".svg").write_text(page(charts(samples)))
    for name, value in content.items():
        if name != "samples":
            Console().print(f"{name}: {value}", markup=False)
    sys.exit(1 if found.wrong or found.unexpected or left else 0)


if __name__ == "__main__":
    main()

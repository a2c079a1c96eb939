"""Mixed steps in sessions that come and go, while processes are killed and frozen, machines lost,
steps interrupted and spoilt graphs sent: are results right, is memory flat, is anything left?
python benchmarks/soak.py --minutes 60
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import random
import signal
import statistics
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from actor_processes import descendants, is_running, living_actors
from local import machine
from ray import exceptions
from rich.console import Console
from soaking.attacks import interrupted_step, malformed_session
from soaking.steps import MixedSteps, WrongResultError
from soaking.world import (
    AFTER_A_DEATH,
    SPARED,
    SPARED_DEVICES,
    STRUCK_DEVICES,
    Sample,
    World,
    sample,
)
from svg import Chart, Line, page

import dataflow as tf

LOCAL_DEVICES: Final = ("/cpu:0", "/cpu:1")
OWN: Final = tf.ConfigProto(device_count={"CPU": 2}, operation_timeout_in_ms=600_000)
"""Of sessions with devices of their own."""
TARGETS: Final = {"struck": 0.6, "spared": 0.15, "in process": 0.1, "ray": 0.15}
"""How often a session is opened on which target: a server that is struck, one that is not, devices
of this process, and actors of its own, which are struck, too."""
DEVICES: Final = {"struck": STRUCK_DEVICES, "spared": SPARED_DEVICES}
THREADS: Final = 4
"""That open sessions, beside this one."""
CLIENTS: Final = 3
SUBREAPER: Final = 36
"""Of prctl: who has lost its parent becomes this process's child."""
SAY_EVERY: Final = 60.0
"""Seconds between two lines that say how far it is."""
PLOTTED: Final = 240
"""Samples that a curve shows, about."""
PATIENCE: Final = 200.0
"""Seconds in which the last session of each thread ends."""


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
    clients: int = 0
    """Those that ran until they were killed."""
    unexpected: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """How far it is."""
        return (
            f"{self.steps.total()} steps, {self.interrupted.total()} interrupts, "
            f"{len(self.wrong)} wrong, {len(self.unexpected)} unexpected"
        )


def tell(line: str) -> None:
    """Prints a line."""
    Console().print(line, markup=False, soft_wrap=True)


def one_session(
    world: World, found: Found, owner: str, chooser: random.Random, interrupted: bool = False
) -> None:
    """Opens a session, runs mixed steps and closes it."""
    (kind,) = chooser.choices(list(TARGETS), list(TARGETS.values()))
    struck, disturbances = world.enter()
    targets = {"struck": struck, "spared": world.spared, "ray": "ray", "in process": ""}
    target, devices = targets[kind], DEVICES.get(kind, LOCAL_DEVICES)
    config = None if kind in DEVICES else OWN
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
    except AFTER_A_DEATH as error:
        if kind in ("struck", "ray") and world.was_disturbed_since(disturbances):
            found.after_kills[type(error).__name__] += 1
        else:
            found.unexpected.append(f"{kind}: {traceback.format_exc()}")
    except Exception:
        found.unexpected.append(f"{kind}: {traceback.format_exc()}")


def attack(world: World, found: Found, chooser: random.Random) -> None:
    """Opens a session with a spoilt graph."""
    struck, disturbances = world.enter()
    target = chooser.choice((struck, world.spared, ""))
    try:
        found.malformed[malformed_session(target, chooser)] += 1
    except Exception:
        if target != struck or not world.was_disturbed_since(disturbances):
            found.unexpected.append(f"malformed: {traceback.format_exc()}")


def soak(
    world: World, found: Found, seconds: float, strikes: bool, every: float, seed: int
) -> list[Sample]:
    """Runs all threads for so long, disturbs them, and looks at the processes."""
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
            over.wait(0.5)

    def disturb() -> None:
        while strikes and not is_over():
            try:
                world.disturb()
            except Exception:
                found.unexpected.append(f"does not recover: {traceback.format_exc()}")

    def keep_clients(place: int) -> None:
        count = 0
        while not is_over():
            count += 1
            try:
                wrong = world.run_client(place, count)
            except exceptions.RayActorError:
                # It was killed before it had begun.
                continue
            except Exception:
                wrong = traceback.format_exc()
            found.clients += 1
            if wrong:
                found.unexpected.append(f"client: {wrong}")

    def look() -> None:
        said, errors = start, 0
        while not over.is_set():
            samples.append(sample(time.monotonic() - start, found.steps.total(), world.spared))
            if time.monotonic() - said > SAY_EVERY:
                said = time.monotonic()
                tell(f"{said - start:.0f} s: {world.killed.total()} kills, {found.summary()}")
                for error in found.unexpected[errors:]:
                    tell(error)
                errors = len(found.unexpected)
            over.wait(every)

    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(THREADS)]
    threads += [
        threading.Thread(target=each, name=each.__name__, daemon=True)
        for each in (spoil, disturb, look)
    ]
    clients = [
        threading.Thread(target=keep_clients, args=(n,), name=f"client {n}", daemon=True)
        for n in range(CLIENTS)
    ]
    threads += clients
    for thread in threads:
        thread.start()
    chooser = random.Random(seed + 2)
    while time.monotonic() - start < seconds and not is_over():
        # On this thread, where the system's interrupts come.
        try:
            world.add_machine_if_wanted()
            one_session(world, found, "main", chooser, interrupted=True)
        except KeyboardInterrupt:
            # One that comes in a callback, where Python drops it, comes again a moment later.
            found.interrupted["between steps"] += 1
    over.set()
    end = time.monotonic() + PATIENCE
    while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
        world.add_machine_if_wanted()
        world.end_clients()
        time.sleep(0.2)
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    hung = [thread.name for thread in threads if thread.is_alive()]
    if hung:
        faulthandler.dump_traceback()
        found.unexpected.append(f"{hung} hang; standard error shows where.")
    return samples


def growth(samples: Sequence[Sample]) -> dict[str, float]:
    """Megabytes an hour by process, least squares over the second half, when caches are full."""
    late = samples[len(samples) // 2 :]
    names = set.intersection(*(set(each.megabytes) for each in late)) if len(late) > 1 else set()
    seconds = [each.second for each in late]
    lines = {name: [each.megabytes[name] for each in late] for name in sorted(names)}
    lines |= {"shared": [each.shared_mb for each in late]}
    return {n: round(float(np.polyfit(seconds, v, 1)[0]) * 3600, 1) for n, v in lines.items()}


def charts(samples: Sequence[Sample]) -> list[Chart]:
    """The plot."""

    shown = samples[:: max(1, len(samples) // PLOTTED)]

    def line(name: str, what: Callable[[Sample], float]) -> Line:
        return Line(name, [(each.second / 60, what(each)) for each in shown])

    def memory(name: str) -> Line:
        return line(name, lambda each: each.megabytes.get(name, 0.0))

    return [
        Chart(
            "Memory",
            "minutes",
            "megabytes",
            [
                *map(memory, ("this process", *SPARED, "raylet", "gcs_server")),
                line("shared", lambda each: each.shared_mb),
            ],
        ),
        Chart(
            "What there is",
            "minutes",
            "number",
            [
                line("actors", lambda each: each.actors),
                line("threads of the client", lambda each: each.threads),
                line("its open files", lambda each: each.files),
            ],
        ),
        Chart("Steps", "minutes", "steps so far", [line("", lambda each: each.steps)]),
    ]


def processes_left() -> list[str]:
    """What runs though all was ended, after some patience."""
    end = time.monotonic() + PATIENCE
    while left := [process for process in descendants(os.getpid()) if is_running(process)]:
        if time.monotonic() > end:
            break
        time.sleep(0.2)
    return [f"process {process}" for process in left]


@click.command()
@click.option("--minutes", default=60.0)
@click.option("--pace", default=0.1, help="Seconds between kills of a burst, about; 0: no kills.")
@click.option("--give-up-every", default=300.0, help="Seconds between machines given up; 0: none.")
@click.option("--sample-every", default=2.0, help="Seconds between two looks at the processes.")
@click.option("--seed", default=1)
@click.option("--output", type=Path, default=Path("benchmarks/results/soak.json"))
def main(
    minutes: float, pace: float, give_up_every: float, sample_every: float, seed: int, output: Path
) -> None:
    """Prints what was found; writes it as JSON and the curves as a plot beside it."""
    # A shell that starts this in the background has it ignore them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    found = Found()
    world = World(seed, pace, give_up_every)
    samples = soak(world, found, minutes * 60, pace > 0, sample_every, seed)
    world.stop()
    left = sorted(actor.name for actor in living_actors())
    world.close()
    left += processes_left()
    content: dict[str, Any] = {
        "machine": machine(),
        "minutes": minutes,
        "steps": found.steps,
        "sessions": found.sessions,
        "kills": world.killed.total(),
        "killed": world.killed,
        "frozen": world.frozen,
        "given_up": world.given_up,
        "servers_replaced": world.replaced,
        "clients": found.clients,
        "seconds_to_recover": {
            "bursts": len(world.recovered),
            "median": round(statistics.median(world.recovered or [0.0]), 2),
            "longest": round(max(world.recovered, default=0.0), 2),
        },
        "interrupted": found.interrupted,
        "malformed": found.malformed,
        "errors_after_kills": found.after_kills,
        "unexpected": found.unexpected,
        "wrong": found.wrong,
        "left": left,
        "growth_mb_an_hour": growth(samples),
        "samples": [asdict(each) for each in samples],
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(content, indent=1) + "\n")
    output.with_suffix(".svg").write_text(page(charts(samples)))
    for name, value in content.items():
        if name != "samples":
            tell(f"{name}: {value}")
    sys.exit(1 if found.wrong or found.unexpected or left else 0)


if __name__ == "__main__":
    main()

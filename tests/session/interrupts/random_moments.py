"""Interrupts scenes at random moments with real signals; prints how many there were.

Run as `python -m tests.session.interrupts.random_moments --count 10000 --seed 1 --ray`. A hang ends
the program, and so does a step that is wrong after an interrupt.
"""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import click

from tests.session.interrupts.scenes import RAY_SCENES, SCENES, Scene

HANG_SECONDS = 60.0
_DELAY = struct.Struct("<d")
_SHOOT = """
import os, signal, struct, sys, time
while data := sys.stdin.buffer.read(8):
    end = time.perf_counter() + struct.unpack("<d", data)[0]
    while (left := end - time.perf_counter()) > 0:
        time.sleep(left - 1e-4 if left > 2e-4 else 0)
    os.kill(int(sys.argv[1]), signal.SIGINT)
"""


class Interrupter:
    """A process that sends SIGINT to this one, when it is told to."""

    def __init__(self) -> None:
        self._awaited = False
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SHOOT, str(os.getpid())], stdin=subprocess.PIPE
        )

    def __enter__(self) -> Interrupter:
        signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupts(self, act: Callable[[], None], delay: float) -> bool:
        """Calls a function; whether the signal, which comes so many seconds later, ended it."""
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(_DELAY.pack(delay))
            stdin.flush()
            self._awaited = True
            act()
            self._awaited = False
        except KeyboardInterrupt:
            return True
        return False

    def _handle(self, *_: Any) -> None:
        # One that comes too late is none.
        if self._awaited:
            self._awaited = False
            raise KeyboardInterrupt


def attack(scene: Scene, count: int, seed: int) -> int:
    """Interrupts a scene so many times; gives how many rounds that took."""
    chance = random.Random(seed)
    rounds = hits = 0
    with Interrupter() as interrupter:
        while hits < count:
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
            scene.prepare()
            rounds += 1
            delay = chance.uniform(0, 1.1) * scene.seconds
            hits += interrupter.interrupts(scene.act, delay)
            scene.check()
            scene.check_devices()
    scene.end()
    faulthandler.cancel_dump_traceback_later()
    return rounds


@click.command()
@click.option("--count", default=1000, help="Interrupts of all scenes together.")
@click.option("--seed", default=1, help="Of the random moments.")
@click.option("--ray/--no-ray", default=False, help="Also sessions on a Ray of its own,")
@click.option("--address", default="", help="or on the Ray of this address.")
@click.option("--scene", multiple=True, help="Only these; by default all.")
def main(count: int, seed: int, ray: bool, address: str, scene: Sequence[str]) -> None:
    """Interrupts each scene as often as the others."""
    scenes = {**SCENES, **(RAY_SCENES if ray else {})}
    if ray:
        import ray as library

        own = {} if address else {"num_cpus": 4, "include_dashboard": False}
        library.init(address=address or "local", log_to_driver=False, **own)
    total = 0
    for name in scene or scenes:
        share = -(-count // len(scene or scenes))
        start = time.monotonic()
        rounds = attack(scenes[name](), share, seed)
        seconds = time.monotonic() - start
        total += share
        print(f"{name}: {share} interrupts in {rounds} rounds, {seconds:.0f} s", flush=True)
    print(f"{total} interrupts, no hang, each next step right")


if __name__ == "__main__":
    main()

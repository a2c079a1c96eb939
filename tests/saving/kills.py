"""Kills processes while they save, and looks at what latest_checkpoint finds then.

python -m tests.saving.kills --count 1000 --seed 1

A process is killed at a byte of a file (the kernel does that, by a limit of the size of files),
before a call that opens, renames or removes one, or at a random moment.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import dataflow as tf
from dataflow import train
from dataflow.actors.devices.registry import find_device_type

WAYS = ("byte", "call", "moment")
"""How a process is killed."""
LAYOUTS = ("new names", "one name", "shards", "shards of one name")
"""What it writes: a new checkpoint for each step or one again and again, of two devices or one."""
_SIZES = (1, 3000, 20000)
_CALLS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


class Program:
    """Variables that all hold the number of the step, and their Saver."""

    def __init__(self, folder: Path, layout: str) -> None:
        self._folder = folder
        self._step = None if "one name" in layout else 0
        with tf.Graph().as_default() as graph:
            self._fed = tf.placeholder(tf.float32, [])
            variables = []
            for number, size in enumerate(_SIZES):
                with tf.device(f"/cpu:{number % 2}"):
                    variables.append(tf.Variable(tf.zeros([size]), name=f"v{number}"))
            self._set = [v.assign(tf.zeros_like(v) + self._fed) for v in variables]
            self._variables = variables
            self.saver = train.Saver(sharded="shards" in layout, max_to_keep=2)
        self.session = tf.Session(graph=graph, config=tf.ConfigProto(device_count={"CPU": 2}))

    def save(self, step: int) -> None:
        """Saves variables that hold `step`."""
        self.session.run(self._set, {self._fed: step})
        number = None if self._step is None else step
        self.saver.save(self.session, str(self._folder / "m"), number)

    def restored(self) -> int:
        """The step of the newest checkpoint, after restoring it."""
        self.saver.restore(self.session, train.latest_checkpoint(str(self._folder)))
        return int(self.session.run(self._variables[-1])[0])


def _saving(folder: Path, layout: str, way: str, seed: int, told: int) -> NoReturn:
    """Saves until it is killed; says after each save that it is done."""
    draw = random.Random(seed)
    program = Program(folder, layout)
    first = draw.randint(1, 4)
    for step in itertools.count(1):
        if step == first + 1:
            _arm(way, draw)
        program.save(step)
        os.write(told, b".")
        if step == 200 and way != "moment":
            os._exit(3)
    raise AssertionError("there is no last number")


def _arm(way: str, draw: random.Random) -> None:
    if way == "byte":
        # Files of all sizes are to be hit; that of the values is the largest.
        size = draw.choice((60, 400, 2000, 4 * max(_SIZES)))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        limit = draw.randrange(size)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    elif way == "call":
        left = itertools.count(draw.randrange(60), -1)

        def watch(event: str, _: Any) -> None:
            if event in _CALLS and next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)


def _restarting(folder: Path, layout: str, expected: int) -> NoReturn:
    """Goes on as a program that is started again does."""
    program = Program(folder, layout)
    assert program.restored() == expected
    program.save(expected + 1)
    assert program.restored() == expected + 1
    os._exit(0)


def _forked(work: Any, *args: Any) -> int:
    """The process id of a fork that does some work and ends."""
    child = os.fork()
    if child:
        return child
    try:
        work(*args)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(2)


def trial(way: str, layout: str, seed: int) -> str:
    """Kills one process; what came of it, beginning with "whole" if all is well."""
    draw = random.Random(-seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        read, write = os.pipe()
        child = _forked(_saving, folder, layout, way, seed, write)
        os.close(write)
        done = len(os.read(read, 1))
        if way == "moment":
            time.sleep(draw.random() * 0.1)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        while more := len(os.read(read, 4096)):
            done += more
        os.close(read)
        if not os.WIFSIGNALED(status):
            return f"not killed: status {status}"
        found = train.latest_checkpoint(name)
        if found is None:
            return "no checkpoint"
        try:
            reader = train.load_checkpoint(found)
            values = [reader.get_tensor(f"v{i}") for i in range(len(_SIZES))]
        except tf.errors.OpError as error:
            return f"damaged: {error}"
        steps = {float(step) for value in values for step in np.unique(value)}
        if len(steps) != 1:
            return f"mixed: {sorted(steps)}"
        step = int(steps.pop())
        if step not in (done, done + 1):
            return f"lost: step {step} after {done} were saved"
        _, status = os.waitpid(_forked(_restarting, folder, layout, step), 0)
        if status:
            return f"cannot go on: status {status}"
        return "whole, the last" if step == done else "whole, the one under way"


def run(count: int, seed: int) -> Counter[tuple[str, str, str]]:
    """Kills `count` processes, each way and layout in turns; counts what came of them."""
    # What is imported here need not be in each fork; a session has threads, which must not be here.
    importlib.import_module("dataflow.actors.direct")
    find_device_type("CPU")
    outcomes: Counter[tuple[str, str, str]] = Counter()
    kinds = itertools.cycle(itertools.product(WAYS, LAYOUTS))
    for number, (way, layout) in zip(range(count), kinds, strict=False):
        outcome = trial(way, layout, seed * 1_000_003 + number)
        outcomes[way, layout, outcome] += 1
        if not outcome.startswith("whole"):
            print(f"seed {seed}, number {number}: {way}, {layout}: {outcome}", flush=True)
    return outcomes


def main() -> None:
    """Prints the figures; ends with status 1 if a checkpoint was lost or damaged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.ERROR)
    outcomes = run(given.count, given.seed)
    for (way, layout, outcome), number in sorted(outcomes.items()):
        print(f"killed at a {way}, {layout}: {number} {outcome}")
    whole = sum(n for (_, _, outcome), n in outcomes.items() if outcome.startswith("whole"))
    print(f"{given.count} kills: {whole} found a whole checkpoint and went on")
    sys.exit(whole != given.count)


if __name__ == "__main__":
    main()

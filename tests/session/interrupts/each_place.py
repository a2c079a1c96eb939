"""Interrupts scenes at each place where Python runs a signal's handler; prints how many there were.

Run as `python -m tests.session.interrupts.each_place [MOST] [SCENE ...]`: at no more than so many
places of each scene, spread evenly. A hang ends the program.

Handlers run where C code has returned, where a function begins and where a loop jumps back. So a
signal is noted just before each call and each jump that the main thread comes to, of whatever
module: the handler runs, and raises, at the next such place after that.
"""

from __future__ import annotations

import dis
import faulthandler
import signal
import sys
from _thread import interrupt_main
from collections.abc import Callable
from types import FrameType
from typing import Any

from tests.session.interrupts.scenes import SCENES, Scene

HANG_SECONDS = 20.0
_BEFORE = {code for name, code in dis.opmap.items() if name.startswith(("CALL", "JUMP_"))}
_SIGNAL = (int(signal.SIGINT),)


class Places:
    """Counts the places that the main thread passes; at one of them there is a signal."""

    def __init__(self, place: int = -1) -> None:
        self.passed = 0
        self._place = place

    def watch(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        """A trace function."""
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event != "opcode" or frame.f_code.co_code[frame.f_lasti] not in _BEFORE:
            return self.watch
        if self.passed == self._place:
            sys.settrace(None)
            # What is called like this returns before a handler runs.
            (_,) = map(interrupt_main, _SIGNAL)
            return None
        self.passed += 1
        return self.watch


def interrupted(act: Callable[[], None], places: Places) -> bool:
    """Calls a function; whether it was interrupted."""
    try:
        sys.settrace(places.watch)
        act()
        sys.settrace(None)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def visit(scene: Scene, most: int) -> tuple[int, int]:
    """Interrupts a scene at its places, or so many of them; gives the places and the interrupts."""
    scene.prepare()
    all_of_them = Places()
    assert not interrupted(scene.act, all_of_them)
    stride = -(-all_of_them.passed // most) if most else 1
    place = hits = 0
    while True:
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        scene.prepare()
        places = Places(place)
        try:
            hits += interrupted(scene.act, places)
        except KeyboardInterrupt:
            # At the very last place.
            hits += 1
        is_end = places.passed < place
        scene.check()
        scene.check_devices()
        if is_end:
            break
        place += stride
    scene.end()
    faulthandler.cancel_dump_traceback_later()
    return place, hits


def main(names: list[str]) -> None:
    """Visits the scenes of these names, or all."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    most = int(names.pop(0)) if names and names[0].isdigit() else 0
    for name in names or SCENES:
        place, hits = visit(SCENES[name](), most)
        print(f"{name}: {hits} interrupts at {place} places", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

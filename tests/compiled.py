"""What all processes of a run import is compiled once: each takes what no other one has taken.

They import the same at the same time; each would compile all of it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from _pytest.assertion import rewrite

from tests.once import made_once

_TOGETHER: Final = 40
"""Modules of tests that are compiled as one share."""


def compile_share(config: pytest.Config, folders: Iterable[str]) -> None:
    """Compiles this process's share of TensorFlow and of the modules of tests in some folders.

    Few modules are left to who imports them.
    """
    modules = sorted(path for folder in folders for path in Path(folder).rglob("test_*.py"))
    if sys.dont_write_bytecode or len(modules) < _TOGETHER:
        return
    parts = range(0, len(modules), _TOGETHER)
    shares: list[Callable[[], None]] = [_tensorflow]
    shares += (partial(_tests, config, modules[i : i + _TOGETHER]) for i in parts)
    taken = made_once("compiled", lambda _: None)
    for number, share in enumerate(shares):
        with suppress(FileExistsError):
            (taken / str(number)).touch(exist_ok=False)
            share()
    _tensorflow()


def _tensorflow() -> None:
    """Imports TensorFlow, or waits for the process that does."""

    def make(_folder: Path) -> None:
        # Without it, tests say what they lack.
        with suppress(ImportError):
            importlib.import_module("tensorflow.compat.v1")

    made_once("tensorflow", make)


def _tests(config: pytest.Config, modules: Sequence[Path]) -> None:
    state = config.stash[rewrite.assertstate_key]
    for path in modules:
        compiled = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if not compiled.exists():
            rewrite.try_makedirs(compiled.parent)
            # Who imports a module says what is wrong with it.
            with suppress(SyntaxError):
                source, code = rewrite._rewrite_test(path, config)
                rewrite._write_pyc(state, code, source, compiled)

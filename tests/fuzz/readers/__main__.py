"""Fuzzes readers with atheris, which finds its way by what code was reached.

`pip install atheris`, then `python -m tests.fuzz.readers --seconds 300 png hdf5`; all if unnamed.
Checksums count as right here, for what is behind them is to be reached. A finding is printed, and
its bytes stay in the folder that is named.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

try:
    import atheris
except ImportError:
    sys.exit("python -m tests.fuzz.readers drives atheris: pip install atheris")

_INSTRUMENTED = (
    *("dataflow.checkpoints", "dataflow.records", "dataflow.importing", "dataflow.saving"),
    *("dataflow.command", "dataflow.schema", "dataflow.values", "dataflow.serving"),
    *("dataflow.kernels.images", "dataflow.kernels.parsing", "dataflow.kernels.ops.parsing"),
    *("dataflow.kernels.ops.image", "dataflow.kernels.ops.text", "dataflow.library.parsing"),
)
_MEGABYTES = 4096
_FINDING = "finding: "


def _fuzz(name: str, seconds: int, folder: Path) -> None:
    """Tries one reader in this process, which libFuzzer ends."""
    with atheris.instrument_imports(include=list(_INSTRUMENTED)):
        from dataflow.checkpoints import table
        from dataflow.records import framing
        from tests.fuzz.readers.readers import READERS, judged
    reader = READERS[name]
    corpus = folder / name
    corpus.mkdir(parents=True)
    for number, seed in enumerate(reader.seeds()):
        (corpus / f"seed{number}").write_bytes(seed)
        # What the first call loads is no fault of the bytes.
        judged(reader, seed)

    def unchecked(module: Any) -> None:
        for function in ("masked", "masked_of"):
            if hasattr(module, function):
                setattr(module, function, lambda _: _Any())

    unchecked(table)
    unchecked(framing)

    seen: set[str] = set()

    def try_one(data: bytes) -> None:
        verdict = judged(reader, data)
        if verdict.kind and verdict.kind not in seen:
            seen.add(verdict.kind)
            path = folder / f"{name}-finding{len(seen)}"
            path.write_bytes(data)
            print(f"{_FINDING}{verdict.kind}: {verdict.text} ({path})", flush=True)

    limits = [f"-max_total_time={seconds}", f"-rss_limit_mb={_MEGABYTES}", "-timeout=60"]
    arguments = [*limits, "-max_len=8192", "-print_final_stats=1"]
    prefix = f"-artifact_prefix={folder}/{name}-"
    atheris.Setup([sys.argv[0], *arguments, prefix, str(corpus)], try_one)
    atheris.Fuzz()


class _Any(int):
    """A checksum that is equal to any other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


@click.command()
@click.argument("names", nargs=-1)
@click.option("--seconds", default=60, help="How long to try each.")
@click.option("--inside", hidden=True, help="The folder; the one name is tried in this process.")
def main(names: tuple[str, ...], seconds: int, inside: str | None) -> None:
    """Tries readers, each in a process of its own."""
    if inside is not None:
        _fuzz(names[0], seconds, Path(inside))
        return
    from tests.fuzz.readers.readers import READERS

    folder = tempfile.mkdtemp(prefix="readers-")
    print(f"# files: {folder}")
    failed = False
    for name in names or READERS:
        command = [sys.executable, "-m", "tests.fuzz.readers", name, "--seconds", str(seconds)]
        done = subprocess.run(
            [*command, "--inside", folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
        runs = [line.split()[-1] for line in lines if "number_of_executed" in line]
        findings = [line for line in lines if line.startswith(_FINDING)]
        shown = findings if not done.returncode else lines[-40:]
        print(
            f"{name}: {runs[-1] if runs else '?'} runs, exit {done.returncode}", *shown, sep="\n  "
        )
        sys.stdout.flush()
        failed = failed or bool(shown)
    sys.exit(failed)


if __name__ == "__main__":
    main()

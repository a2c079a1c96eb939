"""Generate `dataflow/proto/*_pb2.py` and `*_pb2.pyi` from the `.proto` files there (`make proto`).

Run it in an environment with the `proto` extra: the compiler's version decides which protobuf
runtimes accept the generated code, so the extra pins it and a test compares the committed files.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTO_DIR = Path("dataflow/proto")


def generate(out: Path) -> list[Path]:
    """Compile every `.proto` file into the tree rooted at `out`.

    Args:
        out: Directory that receives `dataflow/proto/*_pb2.py` and `*_pb2.pyi`.

    Returns:
        Paths of the generated files relative to `out`, sorted.

    Raises:
        RuntimeError: The compiler is missing or refuses a file.
    """
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / PROTO_DIR).glob("*.proto"))
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I."]
    command += [f"--python_out={out}", f"--pyi_out={out}", *sources]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"protoc failed in {sys.executable}; install the `proto` extra there.\n{done.stderr}"
        )
    generated = (out / PROTO_DIR).glob("*_pb2.py*")
    return sorted(path.relative_to(out) for path in generated)


def main() -> None:
    """Regenerate in place."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for stale in (ROOT / PROTO_DIR).glob("*_pb2.py*"):
        stale.unlink()
    print(f"{len(generate(ROOT))} files in {PROTO_DIR}")


if __name__ == "__main__":
    main()

"""The committed generated code is what the `.proto` files give today."""

from __future__ import annotations

import re
from pathlib import Path

from google.protobuf import __version__ as runtime_version

from tools import generate_protos


def test_regenerating_gives_the_committed_bytes(tmp_path: Path) -> None:
    fresh = generate_protos.generate(tmp_path)
    committed = sorted(
        path.relative_to(generate_protos.ROOT)
        for path in (generate_protos.ROOT / generate_protos.PROTO_DIR).glob("*_pb2.py*")
    )
    assert fresh == committed
    assert len(fresh) == 2 * len(list((generate_protos.ROOT / "dataflow/proto").glob("*.proto")))
    stale = [
        str(path)
        for path in fresh
        if (tmp_path / path).read_bytes() != (generate_protos.ROOT / path).read_bytes()
    ]
    assert not stale, "run `make proto`"


def test_generated_code_accepts_the_oldest_protobuf_we_promise() -> None:
    pyproject = (generate_protos.ROOT / "pyproject.toml").read_text()
    promised = re.search(r'"protobuf>=([\d.]+)', pyproject)
    assert promised is not None
    text = (generate_protos.ROOT / "dataflow/proto/graph_pb2.py").read_text()
    version = re.search(r"# Protobuf Python Version: (\d+)\.(\d+)\.(\d+)", text)
    assert version is not None
    needed = [int(part) for part in version.groups()]
    oldest = [int(part) for part in promised[1].split(".")]
    assert needed[: len(oldest)] <= oldest
    assert [int(part) for part in runtime_version.split(".")[:2]] >= needed[:2]

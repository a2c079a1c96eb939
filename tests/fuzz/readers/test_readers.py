"""Readers of files, each tried with some bytes that are nearly right.

`python -m tests.fuzz.readers` looks for more, with atheris.
"""

from __future__ import annotations

import zlib
from random import Random

import pytest

from tests.fuzz.readers.readers import READERS, judged
from tests.fuzz.spoiling import spoil_bytes

COUNT = 30


@pytest.mark.parametrize("name", READERS)
def test_reads_or_says_why_not(name: str) -> None:
    reader = READERS[name]
    seeds = reader.seeds()
    for seed in seeds:
        verdict = judged(reader, seed)
        assert not verdict.kind, verdict
    rng = Random(zlib.crc32(name.encode()))
    for _ in range(COUNT):
        verdict = judged(reader, spoil_bytes(rng, rng.choice(seeds)))
        assert not verdict.kind, verdict

"""Ops that no case row can drive (state, transfers, randomness), and where they are tested."""

from __future__ import annotations

TESTED_ELSEWHERE: dict[str, str] = {
    "NoOp": "session/test_run.py",
    "Const": "graph_def/test_export.py",
    "Placeholder": "session/test_feeds.py",
    "PlaceholderV2": "session/test_feeds.py",
    "PlaceholderWithDefault": "session/test_feeds.py",
    "RandomUniform": "random/test_random_values.py",
    "RandomUniformInt": "random/test_random_values.py",
    "RandomStandardNormal": "random/test_random_values.py",
    "TruncatedNormal": "random/test_random_values.py",
    "RandomShuffle": "random/test_random_values.py",
    "Multinomial": "random/test_random_values.py",
    "_Arg": "passes/test_prune.py",
    "_Retval": "passes/test_prune.py",
    "_Send": "passes/test_split.py",
    "_Recv": "passes/test_split.py",
    "_HostSend": "passes/test_split.py",
    "_HostRecv": "passes/test_split.py",
}

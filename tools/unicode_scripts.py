"""Writes which code points are of which script: python -m tools.unicode_scripts.

The numbers of scripts, and which code points are known, are those of the ICU in TensorFlow.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np

from tests.oracle import oracle

TABLE = Path(__file__).parents[1] / "kernels" / "ops" / "text" / "script_ranges.py"

_HEAD = '''"""Where scripts begin in Unicode, written by `python -m tools.unicode_scripts`."""

from __future__ import annotations

RANGES = """
'''
_TAIL = '''
"""
"""`length:script` for each range, in hexadecimal: how many code points, from 0 on, are of a script,
by the number that ICU gives it."""
'''


def ranges() -> str:
    """The ranges of all code points, as `RANGES` has them."""
    points = np.arange(0x110000, dtype=np.int32)
    with oracle.Graph().as_default(), oracle.Session() as session:
        scripts = session.run(oracle.strings.unicode_script(points))
    starts = np.flatnonzero(np.diff(scripts, prepend=-1))
    lengths = np.diff(starts, append=len(points))
    return " ".join(f"{n:x}:{script:x}" for n, script in zip(lengths, scripts[starts], strict=True))


if __name__ == "__main__":
    TABLE.write_text(_HEAD + "\n".join(textwrap.wrap(ranges(), 100)) + _TAIL)

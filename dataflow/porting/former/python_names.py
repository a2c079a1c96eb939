"""Names of Python's own modules that newer versions have dropped."""

from __future__ import annotations

import base64
import collections
import collections.abc
import errno
import fractions
import inspect
import math
import os
import threading
import time
import unittest
from collections.abc import Mapping
from typing import Any, Final

from dataflow.porting.spellings.util.inspection import ArgSpec, getargspec

_CASE: Final = unittest.TestCase
PYTHON: Final[tuple[tuple[Any, Mapping[str, Any]], ...]] = (
    (collections, {name: getattr(collections.abc, name) for name in collections.abc.__all__}),
    (inspect, {"getargspec": getargspec, "ArgSpec": ArgSpec}),
    (time, {"clock": time.process_time}),
    (fractions, {"gcd": math.gcd}),
    (base64, {"encodestring": base64.encodebytes, "decodestring": base64.decodebytes}),
    (os, {"errno": errno}),
    (threading.Thread, {"isAlive": threading.Thread.is_alive}),
    (
        _CASE,
        {
            "assertEquals": _CASE.assertEqual,
            "assertNotEquals": _CASE.assertNotEqual,
            "assertAlmostEquals": _CASE.assertAlmostEqual,
            "assertNotAlmostEquals": _CASE.assertNotAlmostEqual,
            "assertRegexpMatches": _CASE.assertRegex,
            "assertNotRegexpMatches": _CASE.assertNotRegex,
            "assertRaisesRegexp": _CASE.assertRaisesRegex,
            "assertItemsEqual": _CASE.assertCountEqual,
            "assert_": _CASE.assertTrue,
        },
    ),
)
"""By owner, what it had under a name."""

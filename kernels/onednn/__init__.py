"""oneDNN, the library behind costly float32 kernels on x86 processors, where it is installed.

Every function here computes what numpy would; the callers ask `library.find()` and do without.
"""

from __future__ import annotations

__all__: list[str] = []

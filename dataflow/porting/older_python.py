"""Programs for Python 2: how they are told from broken ones, and what their users are told."""

from __future__ import annotations

from typing import Final

_SAYS: Final = (
    "Missing parentheses in call to",
    "multiple exception types must be parenthesized",
    "leading zeros in decimal integer literals",
    "inconsistent use of tabs and spaces",
)
"""How errors begin that Python 3 raises for what Python 2 took."""


def hint(error: BaseException) -> str | None:
    """What helps if a file that could not be read is for Python 2; None if nothing says so."""
    if isinstance(error, SyntaxError) and str(error.msg).startswith(_SAYS):
        return (
            "This is a program for Python 2. Translate it once by 2to3, which Python has up to "
            "3.12, or by `pip install fissix` and `python -m fissix -w FILE`."
        )
    return None

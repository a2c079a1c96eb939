"""Writes what of TensorFlow's names is there: python -m tools.documents.coverage.

README.md gets the summary between its two marks, `docs/coverage.md` the table.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.public_names.lists import found, ours, theirs

ROOT: Final = Path(__file__).parents[2]
_BEGIN: Final = "<!-- by python -m tools.documents.coverage -->\n"
_END: Final = "<!-- end -->\n"
_WIDTH: Final = 106
_NOT_LISTED: Final = ("tf.raw_ops", "tf.data.experimental")
_FEW: Final = 6
"""As many names of a module are listed in the summary."""
_SOME: Final = 3
"""Modules that lack fewer are in the table only, as are experimental ones."""


def modules() -> dict[str, tuple[list[str], list[str]]]:
    """For each public module of TensorFlow's the names that are there, and those that are not.

    Only its functions, classes and constants: a class that lacks a method is there.
    """
    names = theirs()
    kinds = {
        path: (names[name.text] if name.kind == "alias" else name).kind
        for path, name in names.items()
    }
    split: dict[str, tuple[list[str], list[str]]] = {}
    for path, kind in kinds.items():
        owner, _, name = path.rpartition(".")
        if kind == "module" or kinds.get(owner, "module") != "module":
            continue
        there, absent = split.setdefault(owner, ([], []))
        (absent if found(ours(), path) is None else there).append(name)
    return dict(sorted(split.items()))


def summary() -> str:
    """What README.md lists under its limits."""
    split = modules()
    there = sum(len(names) for names, _ in split.values())
    whole = there + sum(len(names) for _, names in split.values())
    none = [module for module in split if "experimental" not in module and not split[module][0]]
    outermost = [each for each in none if each.rpartition(".")[0] not in none]
    lines = [
        f"Of the {whole:,} functions, classes and constants of TensorFlow 2.21's `tf.compat.v1`, "
        f"{there:,} are here; [docs/coverage.md](docs/coverage.md) lists all modules.",
        f"Modules that are not: {_listed(outermost)}.",
    ]
    for module, (names, absent) in split.items():
        if not names or len(absent) < _SOME or module in _NOT_LISTED:
            continue
        more = f" and {len(absent) - _FEW} more" if len(absent) > _FEW else ""
        lines.append(f"Not in `{module}`: {_listed(absent[:_FEW])}{more}.")
    ops = split["tf.raw_ops"]
    lines.append(f"Of {sum(map(len, ops)):,} types of ops, {len(ops[0]):,} have kernels here.")
    return "".join(
        textwrap.fill(
            line,
            _WIDTH,
            initial_indent="* ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
        for line in lines
    )


def table() -> str:
    """The page that lists all modules."""
    lines = [
        "# What is there",
        "",
        "The names of TensorFlow 2.21's `tf.compat.v1`, module by module, counted by",
        "`python -m tools.documents.coverage`. A name that is there is called as TensorFlow's: a",
        "test compares signatures. `tests/public_names/missing.txt` lists members of classes, too.",
        "",
        "| module | there | of | not there |",
        "|---|---|---|---|",
    ]
    for module, (there, absent) in modules().items():
        listed = _listed(absent) if there else "nothing of it"
        lines.append(f"| `{module}` | {len(there)} | {len(there) + len(absent)} | {listed} |")
    return "\n".join(lines) + "\n"


def with_summary(readme: str) -> str:
    """README.md with the summary of today."""
    before, _, rest = readme.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + _BEGIN + summary() + _END + after


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Writes both."""
    readme = ROOT / "README.md"
    readme.write_text(with_summary(readme.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "docs" / "coverage.md").write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    main()

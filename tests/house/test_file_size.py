"""Files stay small: 400 lines is a lot, above 600 the file does more than one job."""

from __future__ import annotations

from tests.house.tree import Source, other_sources, package_sources

A_LOT = 400
LIMIT = 600


def lengths(sources: list[Source]) -> list[tuple[int, str]]:
    """Lines and name of every hand-written file, longest first."""
    return sorted(
        (
            (len(source.text.splitlines()), source.name)
            for source in sources
            if not source.generated
        ),
        reverse=True,
    )


def test_no_file_is_too_long() -> None:
    table = lengths(package_sources() + other_sources())
    print(f"\n{sum(count for count, _ in table)} lines in {len(table)} files; longest:")
    for count, name in table[:25]:
        print(f"{count:6d}  {name}{'  <- a lot' if count > A_LOT else ''}")
    too_long = [f"{name}: {count} lines" for count, name in table if count > LIMIT]
    assert not too_long, f"split by topic, the limit is {LIMIT}: {', '.join(too_long)}"

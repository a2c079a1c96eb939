"""Tags of summaries: one for each, made of the name scopes, and the collections they are in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.values import logging

_NOT_IN_NAMES: Final = re.compile(r"[^-/\w.]")


def clean_tag(name: str | None) -> str | None:
    """A name without what names of nodes cannot hold; tags could hold anything in the past."""
    if name is None:
        return None
    cleaned = _NOT_IN_NAMES.sub("_", name).lstrip("/")
    if cleaned != name:
        logging.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextmanager
def summary_scope(
    name: str | None,
    family: str | None,
    values: Sequence[Any],
    default_name: str | None = None,
) -> Iterator[tuple[str, str]]:
    """Opens the name scope of a summary.

    Args:
      name: Its name.
      family: Stands before the tag, whatever scopes are open: readers group by it.
      values: What it is made of.
      default_name: Its name if it has none.

    Yields:
      Its tag and the scope.
    """
    cleaned, group = clean_tag(name), clean_tag(family)
    base = cleaned if group is None else f"{group}/{cleaned}"
    with scopes.name_scope(base, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield tag if group is None else f"{group}/{tag}", scope


def collect(summary: Any, collections: Sequence[Any] | None, default: Sequence[Any]) -> None:
    """Adds a summary to collections: to the default ones if None is given."""
    for key in default if collections is None else collections:
        scopes.add_to_collection(key, summary)

"""Exports in numbered folders: which is the newest, and which go."""

from __future__ import annotations

import os
from typing import Any

from dataflow.contrib.session_bundle import gc
from dataflow.errors import NotFoundError
from dataflow.library.files.gfile import delete_recursively
from dataflow.values import logging

_DIGITS = 10
"""What a folder's name has that seconds since the epoch name."""


def _numbered(path: gc.Path) -> gc.Path | None:
    name = os.path.basename(path.path)
    if len(name) != _DIGITS or not name.isdigit():
        return None
    return path._replace(export_version=int(name))


def get_most_recent_export(export_dir_base: Any) -> gc.Path | None:
    """The newest export in a folder, or None.

    Raises:
      NotFoundError: There is no such folder.
    """
    found = gc.largest_export_versions(1)(gc.get_paths(export_dir_base, _numbered))
    return found[0] if found else None


def garbage_collect_exports(export_dir_base: Any, exports_to_keep: int | None) -> None:
    """Removes all but some of the newest exports of a folder; none if `exports_to_keep` is None.

    Raises:
      NotFoundError: There is no such folder.
    """
    if exports_to_keep is None:
        return
    older = gc.negation(gc.largest_export_versions(exports_to_keep))
    for path in older(gc.get_paths(export_dir_base, _numbered)):
        try:
            delete_recursively(path.path)
        except NotFoundError as error:
            logging.warning("Can not delete %s recursively: %s", path.path, error)

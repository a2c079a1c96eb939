"""Where the parts of a SavedModel lie in its folder."""

from __future__ import annotations

import os
from typing import Any

from dataflow.saving.saved_model import constants


def folder_path(export_dir: Any) -> str:
    """A folder's path as text, of text, bytes or a path object."""
    return os.fsdecode(export_dir)


def get_variables_dir(export_dir: Any) -> str:
    """The folder of the variables."""
    return os.path.join(folder_path(export_dir), constants.VARIABLES_DIRECTORY)


def get_or_create_variables_dir(export_dir: Any) -> str:
    """The folder of the variables, made if it is missing."""
    return _made(get_variables_dir(export_dir))


def get_variables_path(export_dir: Any) -> str:
    """The prefix of the checkpoint with the variables."""
    return os.path.join(get_variables_dir(export_dir), constants.VARIABLES_FILENAME)


def get_assets_dir(export_dir: Any) -> str:
    """The folder of the assets."""
    return os.path.join(folder_path(export_dir), constants.ASSETS_DIRECTORY)


def get_or_create_assets_dir(export_dir: Any) -> str:
    """The folder of the assets, made if it is missing."""
    return _made(get_assets_dir(export_dir))


def get_saved_model_pb_path(export_dir: Any) -> str:
    """The file of the graphs."""
    return os.path.join(folder_path(export_dir), constants.SAVED_MODEL_FILENAME_PB)


def get_saved_model_pbtxt_path(export_dir: Any) -> str:
    """The file of the graphs as text."""
    return os.path.join(folder_path(export_dir), constants.SAVED_MODEL_FILENAME_PBTXT)


def _made(folder: str) -> str:
    os.makedirs(folder, exist_ok=True)
    return folder

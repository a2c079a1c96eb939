"""Names of the files, collections and signatures in a SavedModel."""

from __future__ import annotations

from typing import Final

ASSETS_DIRECTORY: Final = "assets"
EXTRA_ASSETS_DIRECTORY: Final = "assets.extra"
ASSETS_KEY: Final = "saved_model_assets"
DEBUG_DIRECTORY: Final = "debug"
DEBUG_INFO_FILENAME_PB: Final = "saved_model_debug_info.pb"
INIT_OP_SIGNATURE_KEY: Final = "__saved_model_init_op"
LEGACY_INIT_OP_KEY: Final = "legacy_init_op"
MAIN_OP_KEY: Final = "saved_model_main_op"
SAVED_MODEL_FILENAME_CPB: Final = "saved_model.cpb"
SAVED_MODEL_FILENAME_PB: Final = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT: Final = "saved_model.pbtxt"
SAVED_MODEL_FILENAME_PREFIX: Final = "saved_model"
SAVED_MODEL_SCHEMA_VERSION: Final = 1
TRAIN_OP_KEY: Final = "saved_model_train_op"
TRAIN_OP_SIGNATURE_KEY: Final = "__saved_model_train_op"
VARIABLES_DIRECTORY: Final = "variables"
VARIABLES_FILENAME: Final = "variables"

"""tf.saved_model: graphs with their signatures, variables and the files they need."""

import dataflow.saving.saved_model.builder as _builder
import dataflow.saving.saved_model.files as _files
from dataflow.saved_model import builder as builder
from dataflow.saved_model import constants as constants
from dataflow.saved_model import experimental as experimental
from dataflow.saved_model import loader as loader
from dataflow.saved_model import main_op as main_op
from dataflow.saved_model import signature_constants as signature_constants
from dataflow.saved_model import signature_def_utils as signature_def_utils
from dataflow.saved_model import tag_constants as tag_constants
from dataflow.saved_model import utils as utils
from dataflow.saving.objects.loading import load_v2 as load_v2
from dataflow.saving.objects.options import SaveOptions as SaveOptions
from dataflow.saving.objects.restored import Asset as Asset
from dataflow.saving.objects.saving import save as save
from dataflow.saving.saved_model.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from dataflow.saving.saved_model.constants import ASSETS_KEY as ASSETS_KEY
from dataflow.saving.saved_model.constants import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from dataflow.saving.saved_model.constants import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from dataflow.saving.saved_model.constants import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from dataflow.saving.saved_model.constants import MAIN_OP_KEY as MAIN_OP_KEY
from dataflow.saving.saved_model.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from dataflow.saving.saved_model.constants import (
    SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT,
)
from dataflow.saving.saved_model.constants import (
    SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION,
)
from dataflow.saving.saved_model.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from dataflow.saving.saved_model.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from dataflow.saving.saved_model.files import (
    maybe_saved_model_directory as maybe_saved_model_directory,
)
from dataflow.saving.saved_model.loader import load as load
from dataflow.saving.saved_model.main_op import main_op_with_restore as main_op_with_restore
from dataflow.saving.saved_model.signature_constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from dataflow.saving.saved_model.signature_constants import (
    CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME,
)
from dataflow.saving.saved_model.signature_constants import (
    CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES,
)
from dataflow.saving.saved_model.signature_constants import (
    CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES,
)
from dataflow.saving.saved_model.signature_constants import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from dataflow.saving.saved_model.signature_constants import PREDICT_INPUTS as PREDICT_INPUTS
from dataflow.saving.saved_model.signature_constants import (
    PREDICT_METHOD_NAME as PREDICT_METHOD_NAME,
)
from dataflow.saving.saved_model.signature_constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from dataflow.saving.saved_model.signature_constants import REGRESS_INPUTS as REGRESS_INPUTS
from dataflow.saving.saved_model.signature_constants import (
    REGRESS_METHOD_NAME as REGRESS_METHOD_NAME,
)
from dataflow.saving.saved_model.signature_constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from dataflow.saving.saved_model.signature_defs import build_signature_def as build_signature_def
from dataflow.saving.saved_model.signature_defs import (
    classification_signature_def as classification_signature_def,
)
from dataflow.saving.saved_model.signature_defs import is_valid_signature as is_valid_signature
from dataflow.saving.saved_model.signature_defs import (
    predict_signature_def as predict_signature_def,
)
from dataflow.saving.saved_model.signature_defs import (
    regression_signature_def as regression_signature_def,
)
from dataflow.saving.saved_model.simple_save import simple_save as simple_save
from dataflow.saving.saved_model.tag_constants import GPU as GPU
from dataflow.saving.saved_model.tag_constants import SERVING as SERVING
from dataflow.saving.saved_model.tag_constants import TPU as TPU
from dataflow.saving.saved_model.tag_constants import TRAINING as TRAINING
from dataflow.saving.saved_model.tensor_infos import build_tensor_info as build_tensor_info
from dataflow.saving.saved_model.tensor_infos import (
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)

Builder = _builder.SavedModelBuilder
contains_saved_model = _files.maybe_saved_model_directory

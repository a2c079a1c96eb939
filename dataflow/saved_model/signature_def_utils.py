"""tf.saved_model.signature_def_utils: makes signatures."""

from dataflow.saving.saved_model.method_names import MethodNameUpdater as MethodNameUpdater
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

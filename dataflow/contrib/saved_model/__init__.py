"""tf.contrib.saved_model: looks into SavedModels."""

from dataflow.contrib.saved_model.reader import get_saved_model_tag_sets as get_saved_model_tag_sets
from dataflow.contrib.saved_model.signatures import (
    get_signature_def_by_key as get_signature_def_by_key,
)

"""tf.contrib.saved_model: looks into SavedModels, and models of Keras as such."""

from dataflow.contrib.saved_model.reader import get_saved_model_tag_sets as get_saved_model_tag_sets
from dataflow.contrib.saved_model.signatures import (
    get_signature_def_by_key as get_signature_def_by_key,
)
from dataflow.keras.saving.saved_model import export_saved_model as save_keras_model
from dataflow.keras.saving.saved_model import load_from_saved_model as load_keras_model

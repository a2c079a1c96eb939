"""tf.contrib.saved_model: looks into SavedModels, and models of Keras as such."""

import dataflow.keras.saving.saved_model as _keras
from dataflow.contrib.saved_model.reader import get_saved_model_tag_sets as get_saved_model_tag_sets
from dataflow.contrib.saved_model.signatures import (
    get_signature_def_by_key as get_signature_def_by_key,
)

load_keras_model = _keras.load_from_saved_model
save_keras_model = _keras.export_saved_model

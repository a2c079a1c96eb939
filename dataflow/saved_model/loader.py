"""tf.saved_model.loader: reads SavedModels."""

from dataflow.saving.saved_model.files import (
    maybe_saved_model_directory as maybe_saved_model_directory,
)
from dataflow.saving.saved_model.loader import load as load

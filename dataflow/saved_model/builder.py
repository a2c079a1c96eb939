"""tf.saved_model.builder: writes SavedModels."""

from dataflow.saving.saved_model.builder import SavedModelBuilder as SavedModelBuilder

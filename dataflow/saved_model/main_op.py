"""tf.saved_model.main_op: what runs when a SavedModel was loaded."""

from dataflow.saving.saved_model.main_op import main_op as main_op
from dataflow.saving.saved_model.main_op import main_op_with_restore as main_op_with_restore

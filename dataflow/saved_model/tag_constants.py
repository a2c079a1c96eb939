"""tf.saved_model.tag_constants: tags of graphs."""

from dataflow.saving.saved_model.tag_constants import GPU as GPU
from dataflow.saving.saved_model.tag_constants import SERVING as SERVING
from dataflow.saving.saved_model.tag_constants import TPU as TPU
from dataflow.saving.saved_model.tag_constants import TRAINING as TRAINING

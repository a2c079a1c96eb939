"""tf.saved_model.signature_constants: keys and methods of signatures."""

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

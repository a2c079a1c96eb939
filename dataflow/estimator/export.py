"""tf.estimator.export: what an exported model takes in and shows."""

from dataflow.estimation.export_outputs import ClassificationOutput as ClassificationOutput
from dataflow.estimation.export_outputs import EvalOutput as EvalOutput
from dataflow.estimation.export_outputs import ExportOutput as ExportOutput
from dataflow.estimation.export_outputs import PredictOutput as PredictOutput
from dataflow.estimation.export_outputs import RegressionOutput as RegressionOutput
from dataflow.estimation.receivers import ServingInputReceiver as ServingInputReceiver
from dataflow.estimation.receivers import TensorServingInputReceiver as TensorServingInputReceiver
from dataflow.estimation.receivers import (
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
)
from dataflow.estimation.receivers import (
    build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn,
)

"""tf.keras.callbacks: what is told of the progress of training, and acts on it."""

from __future__ import annotations

from dataflow.keras.callbacks.base import BaseLogger as BaseLogger
from dataflow.keras.callbacks.base import Callback as Callback
from dataflow.keras.callbacks.base import CallbackList as CallbackList
from dataflow.keras.callbacks.base import History as History
from dataflow.keras.callbacks.base import ProgbarLogger as ProgbarLogger
from dataflow.keras.callbacks.base import configure_callbacks as configure_callbacks
from dataflow.keras.callbacks.control import EarlyStopping as EarlyStopping
from dataflow.keras.callbacks.control import LearningRateScheduler as LearningRateScheduler
from dataflow.keras.callbacks.control import ReduceLROnPlateau as ReduceLROnPlateau
from dataflow.keras.callbacks.control import TerminateOnNaN as TerminateOnNaN
from dataflow.keras.callbacks.tensor_board import TensorBoard as TensorBoard
from dataflow.keras.callbacks.writing import CSVLogger as CSVLogger
from dataflow.keras.callbacks.writing import LambdaCallback as LambdaCallback
from dataflow.keras.callbacks.writing import ModelCheckpoint as ModelCheckpoint
from dataflow.keras.callbacks.writing import RemoteMonitor as RemoteMonitor

"""GraphKeys: the standard names of graph collections."""

from __future__ import annotations

from typing import Final


class GraphKeys:
    """Names under which the library and programs keep things in `Graph` collections."""

    GLOBAL_VARIABLES: Final = "variables"
    LOCAL_VARIABLES: Final = "local_variables"
    METRIC_VARIABLES: Final = "metric_variables"
    MODEL_VARIABLES: Final = "model_variables"
    TRAINABLE_VARIABLES: Final = "trainable_variables"
    MOVING_AVERAGE_VARIABLES: Final = "moving_average_variables"
    VARIABLES: Final = "variables"
    CONCATENATED_VARIABLES: Final = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES: Final = "trainable_resource_variables"
    SUMMARIES: Final = "summaries"
    _SUMMARY_COLLECTION: Final = "_SUMMARY_V2"
    QUEUE_RUNNERS: Final = "queue_runners"
    TABLE_INITIALIZERS: Final = "table_initializer"
    ASSET_FILEPATHS: Final = "asset_filepaths"
    REGULARIZATION_LOSSES: Final = "regularization_losses"
    LOSSES: Final = "losses"
    WEIGHTS: Final = "weights"
    BIASES: Final = "biases"
    ACTIVATIONS: Final = "activations"
    UPDATE_OPS: Final = "update_ops"
    SAVERS: Final = "savers"
    SAVEABLE_OBJECTS: Final = "saveable_objects"
    INIT_OP: Final = "init_op"
    LOCAL_INIT_OP: Final = "local_init_op"
    READY_OP: Final = "ready_op"
    READY_FOR_LOCAL_INIT_OP: Final = "ready_for_local_init_op"
    SUMMARY_OP: Final = "summary_op"
    GLOBAL_STEP: Final = "global_step"
    EVAL_STEP: Final = "eval_step"
    TRAIN_OP: Final = "train_op"
    COND_CONTEXT: Final = "cond_context"
    WHILE_CONTEXT: Final = "while_context"
    RESOURCES: Final = "resources"
    LOCAL_RESOURCES: Final = "local_resources"
    _VARIABLE_COLLECTIONS: Final = (
        GLOBAL_VARIABLES,
        LOCAL_VARIABLES,
        METRIC_VARIABLES,
        MODEL_VARIABLES,
        TRAINABLE_VARIABLES,
        MOVING_AVERAGE_VARIABLES,
        CONCATENATED_VARIABLES,
        TRAINABLE_RESOURCE_VARIABLES,
    )

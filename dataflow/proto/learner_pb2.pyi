from dataflow.proto import tree_config_pb2 as _tree_config_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TreeRegularizationConfig(_message.Message):
    __slots__ = ("l1", "l2", "tree_complexity")
    L1_FIELD_NUMBER: _ClassVar[int]
    L2_FIELD_NUMBER: _ClassVar[int]
    TREE_COMPLEXITY_FIELD_NUMBER: _ClassVar[int]
    l1: float
    l2: float
    tree_complexity: float
    def __init__(self, l1: _Optional[float] = ..., l2: _Optional[float] = ..., tree_complexity: _Optional[float] = ...) -> None: ...

class TreeConstraintsConfig(_message.Message):
    __slots__ = ("max_tree_depth", "min_node_weight", "max_number_of_unique_feature_columns")
    MAX_TREE_DEPTH_FIELD_NUMBER: _ClassVar[int]
    MIN_NODE_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_NUMBER_OF_UNIQUE_FEATURE_COLUMNS_FIELD_NUMBER: _ClassVar[int]
    max_tree_depth: int
    min_node_weight: float
    max_number_of_unique_feature_columns: int
    def __init__(self, max_tree_depth: _Optional[int] = ..., min_node_weight: _Optional[float] = ..., max_number_of_unique_feature_columns: _Optional[int] = ...) -> None: ...

class LearningRateConfig(_message.Message):
    __slots__ = ("fixed", "dropout", "line_search")
    FIXED_FIELD_NUMBER: _ClassVar[int]
    DROPOUT_FIELD_NUMBER: _ClassVar[int]
    LINE_SEARCH_FIELD_NUMBER: _ClassVar[int]
    fixed: LearningRateFixedConfig
    dropout: LearningRateDropoutDrivenConfig
    line_search: LearningRateLineSearchConfig
    def __init__(self, fixed: _Optional[_Union[LearningRateFixedConfig, _Mapping]] = ..., dropout: _Optional[_Union[LearningRateDropoutDrivenConfig, _Mapping]] = ..., line_search: _Optional[_Union[LearningRateLineSearchConfig, _Mapping]] = ...) -> None: ...

class LearningRateFixedConfig(_message.Message):
    __slots__ = ("learning_rate",)
    LEARNING_RATE_FIELD_NUMBER: _ClassVar[int]
    learning_rate: float
    def __init__(self, learning_rate: _Optional[float] = ...) -> None: ...

class LearningRateLineSearchConfig(_message.Message):
    __slots__ = ("max_learning_rate", "num_steps")
    MAX_LEARNING_RATE_FIELD_NUMBER: _ClassVar[int]
    NUM_STEPS_FIELD_NUMBER: _ClassVar[int]
    max_learning_rate: float
    num_steps: int
    def __init__(self, max_learning_rate: _Optional[float] = ..., num_steps: _Optional[int] = ...) -> None: ...

class AveragingConfig(_message.Message):
    __slots__ = ("average_last_n_trees", "average_last_percent_trees")
    AVERAGE_LAST_N_TREES_FIELD_NUMBER: _ClassVar[int]
    AVERAGE_LAST_PERCENT_TREES_FIELD_NUMBER: _ClassVar[int]
    average_last_n_trees: float
    average_last_percent_trees: float
    def __init__(self, average_last_n_trees: _Optional[float] = ..., average_last_percent_trees: _Optional[float] = ...) -> None: ...

class LearningRateDropoutDrivenConfig(_message.Message):
    __slots__ = ("dropout_probability", "probability_of_skipping_dropout", "learning_rate")
    DROPOUT_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_OF_SKIPPING_DROPOUT_FIELD_NUMBER: _ClassVar[int]
    LEARNING_RATE_FIELD_NUMBER: _ClassVar[int]
    dropout_probability: float
    probability_of_skipping_dropout: float
    learning_rate: float
    def __init__(self, dropout_probability: _Optional[float] = ..., probability_of_skipping_dropout: _Optional[float] = ..., learning_rate: _Optional[float] = ...) -> None: ...

class LearnerConfig(_message.Message):
    __slots__ = ("num_classes", "feature_fraction_per_tree", "feature_fraction_per_level", "regularization", "constraints", "pruning_mode", "growing_mode", "learning_rate_tuner", "multi_class_strategy", "averaging_config", "weak_learner_type", "each_tree_start", "each_tree_start_num_layers")
    class PruningMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PRUNING_MODE_UNSPECIFIED: _ClassVar[LearnerConfig.PruningMode]
        PRE_PRUNE: _ClassVar[LearnerConfig.PruningMode]
        POST_PRUNE: _ClassVar[LearnerConfig.PruningMode]
    PRUNING_MODE_UNSPECIFIED: LearnerConfig.PruningMode
    PRE_PRUNE: LearnerConfig.PruningMode
    POST_PRUNE: LearnerConfig.PruningMode
    class GrowingMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        GROWING_MODE_UNSPECIFIED: _ClassVar[LearnerConfig.GrowingMode]
        WHOLE_TREE: _ClassVar[LearnerConfig.GrowingMode]
        LAYER_BY_LAYER: _ClassVar[LearnerConfig.GrowingMode]
    GROWING_MODE_UNSPECIFIED: LearnerConfig.GrowingMode
    WHOLE_TREE: LearnerConfig.GrowingMode
    LAYER_BY_LAYER: LearnerConfig.GrowingMode
    class MultiClassStrategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        MULTI_CLASS_STRATEGY_UNSPECIFIED: _ClassVar[LearnerConfig.MultiClassStrategy]
        TREE_PER_CLASS: _ClassVar[LearnerConfig.MultiClassStrategy]
        FULL_HESSIAN: _ClassVar[LearnerConfig.MultiClassStrategy]
        DIAGONAL_HESSIAN: _ClassVar[LearnerConfig.MultiClassStrategy]
    MULTI_CLASS_STRATEGY_UNSPECIFIED: LearnerConfig.MultiClassStrategy
    TREE_PER_CLASS: LearnerConfig.MultiClassStrategy
    FULL_HESSIAN: LearnerConfig.MultiClassStrategy
    DIAGONAL_HESSIAN: LearnerConfig.MultiClassStrategy
    class WeakLearnerType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NORMAL_DECISION_TREE: _ClassVar[LearnerConfig.WeakLearnerType]
        OBLIVIOUS_DECISION_TREE: _ClassVar[LearnerConfig.WeakLearnerType]
    NORMAL_DECISION_TREE: LearnerConfig.WeakLearnerType
    OBLIVIOUS_DECISION_TREE: LearnerConfig.WeakLearnerType
    NUM_CLASSES_FIELD_NUMBER: _ClassVar[int]
    FEATURE_FRACTION_PER_TREE_FIELD_NUMBER: _ClassVar[int]
    FEATURE_FRACTION_PER_LEVEL_FIELD_NUMBER: _ClassVar[int]
    REGULARIZATION_FIELD_NUMBER: _ClassVar[int]
    CONSTRAINTS_FIELD_NUMBER: _ClassVar[int]
    PRUNING_MODE_FIELD_NUMBER: _ClassVar[int]
    GROWING_MODE_FIELD_NUMBER: _ClassVar[int]
    LEARNING_RATE_TUNER_FIELD_NUMBER: _ClassVar[int]
    MULTI_CLASS_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    AVERAGING_CONFIG_FIELD_NUMBER: _ClassVar[int]
    WEAK_LEARNER_TYPE_FIELD_NUMBER: _ClassVar[int]
    EACH_TREE_START_FIELD_NUMBER: _ClassVar[int]
    EACH_TREE_START_NUM_LAYERS_FIELD_NUMBER: _ClassVar[int]
    num_classes: int
    feature_fraction_per_tree: float
    feature_fraction_per_level: float
    regularization: TreeRegularizationConfig
    constraints: TreeConstraintsConfig
    pruning_mode: LearnerConfig.PruningMode
    growing_mode: LearnerConfig.GrowingMode
    learning_rate_tuner: LearningRateConfig
    multi_class_strategy: LearnerConfig.MultiClassStrategy
    averaging_config: AveragingConfig
    weak_learner_type: LearnerConfig.WeakLearnerType
    each_tree_start: _tree_config_pb2.DecisionTreeConfig
    each_tree_start_num_layers: int
    def __init__(self, num_classes: _Optional[int] = ..., feature_fraction_per_tree: _Optional[float] = ..., feature_fraction_per_level: _Optional[float] = ..., regularization: _Optional[_Union[TreeRegularizationConfig, _Mapping]] = ..., constraints: _Optional[_Union[TreeConstraintsConfig, _Mapping]] = ..., pruning_mode: _Optional[_Union[LearnerConfig.PruningMode, str]] = ..., growing_mode: _Optional[_Union[LearnerConfig.GrowingMode, str]] = ..., learning_rate_tuner: _Optional[_Union[LearningRateConfig, _Mapping]] = ..., multi_class_strategy: _Optional[_Union[LearnerConfig.MultiClassStrategy, str]] = ..., averaging_config: _Optional[_Union[AveragingConfig, _Mapping]] = ..., weak_learner_type: _Optional[_Union[LearnerConfig.WeakLearnerType, str]] = ..., each_tree_start: _Optional[_Union[_tree_config_pb2.DecisionTreeConfig, _Mapping]] = ..., each_tree_start_num_layers: _Optional[int] = ...) -> None: ...

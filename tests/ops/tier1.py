"""The ops of tier 1: what training an MLP or a CNN with TensorFlow 1 takes."""

from __future__ import annotations

SOURCES_AND_STATE = """
Placeholder PlaceholderWithDefault Const VariableV2 Variable Assign AssignAdd AssignSub
IsVariableInitialized Identity IdentityN StopGradient PreventGradient NoOp VarHandleOp
ReadVariableOp AssignVariableOp AssignAddVariableOp AssignSubVariableOp VarIsInitializedOp
VariableShape
"""

ARRAY = """
Shape ShapeN Size Rank Reshape ExpandDims Squeeze Transpose ConcatV2 Concat Pack Unpack Split SplitV
Slice StridedSlice StridedSliceGrad Pad PadV2 MirrorPad Tile Fill ZerosLike OnesLike Range GatherV2
Gather GatherNd OneHot Where Select DynamicStitch DynamicPartition InvertPermutation
BroadcastGradientArgs ConcatOffset BroadcastTo Cast ReverseV2
"""

MATH = """
Add AddV2 Sub Mul RealDiv Div FloorDiv FloorMod Mod Pow Maximum Minimum SquaredDifference AddN Neg
Abs Sign Square Sqrt Rsqrt Exp Log Log1p Floor Ceil Round Sigmoid Tanh Sin Cos Erf Reciprocal
SqrtGrad RsqrtGrad TanhGrad SigmoidGrad ReciprocalGrad Equal NotEqual Less LessEqual Greater
GreaterEqual LogicalAnd LogicalOr LogicalNot MatMul BatchMatMul BatchMatMulV2 Sum Mean Prod Max Min
All Any ArgMax ArgMin Cumsum L2Loss CheckNumerics
"""

NN = """
BiasAdd BiasAddGrad Relu ReluGrad Relu6 Relu6Grad Elu EluGrad Softplus SoftplusGrad Softmax
LogSoftmax SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits Conv2D
Conv2DBackpropInput Conv2DBackpropFilter MaxPool MaxPoolGrad AvgPool AvgPoolGrad FusedBatchNorm
FusedBatchNormV2 FusedBatchNormV3 FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3
InTopK TopKV2 LRN LRNGrad
"""

RANDOM = """
RandomStandardNormal RandomUniform RandomUniformInt TruncatedNormal RandomShuffle Multinomial
"""

TRAINING = """
ApplyGradientDescent ApplyMomentum ApplyAdam ApplyRMSProp ApplyCenteredRMSProp ApplyAdagrad
ApplyAdadelta ApplyFtrl ResourceApplyGradientDescent ResourceApplyMomentum ResourceApplyAdam
ResourceApplyRMSProp ResourceApplyCenteredRMSProp ResourceApplyAdagrad ResourceApplyAdadelta
ResourceApplyFtrl ScatterSub ScatterAdd ScatterUpdate SparseApplyAdagrad SparseApplyMomentum
SparseApplyRMSProp SparseApplyFtrl SparseApplyAdadelta ResourceSparseApplyAdagrad
ResourceSparseApplyMomentum ResourceSparseApplyRMSProp ResourceSparseApplyFtrl
ResourceSparseApplyAdadelta Unique UniqueV2 UnsortedSegmentSum
"""

TIER_1: tuple[str, ...] = tuple(
    " ".join((SOURCES_AND_STATE, ARRAY, MATH, NN, RANDOM, TRAINING)).split()
)

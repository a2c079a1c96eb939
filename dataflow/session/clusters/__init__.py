"""What tells a program its cluster and its task: tf.distribute's cluster resolvers.

It knows ClusterSpec and sessions, nothing of how clusters run.
"""

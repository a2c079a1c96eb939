"""Writers of event files: tf.summary.FileWriter, and its cache; above saving, for MetaGraphs."""

"""Names of TensorFlow's modules of nets and their training that no public one has."""

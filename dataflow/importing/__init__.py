"""GraphDefs into graphs, and variables into constants; knows no op by name and runs nothing."""

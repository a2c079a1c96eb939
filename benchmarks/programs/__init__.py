"""Programs of the local and the distributed benchmark: each builds a graph and gives a step."""

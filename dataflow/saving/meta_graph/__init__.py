"""MetaGraphDefs: a graph, or what is below a name scope, with its collections, out and in."""

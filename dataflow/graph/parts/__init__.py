"""What a `Graph` is made of: names, scopes, collections, functions; others ask the graph."""

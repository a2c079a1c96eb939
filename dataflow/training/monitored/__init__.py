"""Sessions that make themselves ready, call hooks, and recover."""

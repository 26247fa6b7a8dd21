"""Search: an index of word positions, and baseline runs for every task."""

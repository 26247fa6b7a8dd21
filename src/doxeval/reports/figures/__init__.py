"""Figures: curves, topics, measures and losses, as Vega-Lite specifications."""

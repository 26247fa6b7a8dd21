"""The families of measures: one file each, or one package for a large family."""

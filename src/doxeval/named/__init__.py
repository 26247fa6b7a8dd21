"""Named values: frozen values with parameters, whose printed names parse back.

Measures and retrieval models are such values. Their classes inherit from `Named` and declare their
parameters by `parameter`, `cut_off` and `point`. `parse` reads a name, and a `Registry` knows all
classes of one kind: built in, registered by the user, or offered by installed packages.

Options are frozen values too, with fields declared by `option` and checked by `check_options`; the
command line makes its options of them.
"""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "Named",
    "Noun",
    "Registry",
    "cut_off",
    "defined_in",
    "level",
    "parameter",
    "parse",
    "point",
    "shown",
    "signed_parameter",
]

__getattr__, __dir__ = door(__name__, __file__)

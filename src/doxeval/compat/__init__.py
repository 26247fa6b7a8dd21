"""Drop-in replacements for other programs: same input, same lines out, quirks and all."""

from doxeval.compat.inex_eval import InexEvalOptions, InexEvalTask, inex_eval_lines

__all__ = ["InexEvalOptions", "InexEvalTask", "inex_eval_lines"]

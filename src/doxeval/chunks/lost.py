"""How much may be lost."""

from __future__ import annotations

from doxeval.errors import InputError
from doxeval.wording import Parameter, counted

# Below this share found, the texts are probably of other documents.
_SAME_TEXTS = 0.5


def allowed_lost(max_lost: int | str, of: int) -> float:
    """The number that may be lost, given as a number or a share.

    >>> allowed_lost("5%", 200), allowed_lost(3, 200)
    (10.0, 3.0)
    """
    text = str(max_lost).strip()
    try:
        allowed = float(text.removesuffix("%")) * (of / 100 if text.endswith("%") else 1)
    except ValueError:
        allowed = -1.0
    if not allowed >= 0:
        expected = "expected a number, or a share such as '5%'"
        raise InputError(Parameter("max_lost", max_lost) + f": {expected}")
    return allowed


def refuse_lost(lost: int, of: int, what: str, max_lost: int | str, too_ambiguous: int = 0) -> None:
    """Raise an error if more is lost than may be; some of it stands at too many places.

    >>> refuse_lost(3, 100, "chunk", 0)
    Traceback (most recent call last):
    doxeval.errors.InputError: 3 chunks of 100 not found; max_lost= allows a number or a share
    """
    if lost <= allowed_lost(max_lost, of):
        return
    if too_ambiguous:
        raise InputError(
            f"{counted(too_ambiguous, what)} of {of:,} with too many places to tell which is "
            "meant: own offsets (start and end) would tell; "
            + Parameter("max_lost")
            + " allows a number or a share"
        )
    if lost > (1 - _SAME_TEXTS) * of:
        share = (of - lost) / of
        raise InputError(f"{share:.0%} of {counted(of, what)} located; are these the same texts?")
    message = f"{counted(lost, what)} of {of:,} not found; "
    raise InputError(message + Parameter("max_lost") + " allows a number or a share")

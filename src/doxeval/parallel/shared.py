"""A value that many tasks share: pickled once, and unpickled once in each process.

The bytes are compressed, since they may travel with every task. A process recognises them by their
digest and keeps the values that it used last. In the process where the value was made, nothing is
unpickled at all.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

from doxeval.errors import EngineError, InputError

_KEPT_VALUES = 2
_FASTEST = 1  # of zlib's levels


class Shared:
    """A value for tasks in other processes.

    >>> import pickle
    >>> shared = Shared.of({"a": 1})
    >>> pickle.loads(pickle.dumps(shared)).value is shared.value
    True
    """

    def __init__(self, digest: str, packed: Any) -> None:
        self.digest = digest
        self.packed = packed

    @classmethod
    def of(
        cls,
        value: Any,
        prepare: Callable[[Any], object] | None = None,
        *,
        by_value: bool = False,
    ) -> Shared:
        """Pickle a value; raise an InputError if that is not possible.

        `prepare` is called with the value in each process that unpickles it, before any task sees
        it. Classes and functions are pickled by their names. With `by_value`, those that other
        processes cannot find by name, because they are defined in `__main__` or inside a function,
        are pickled as they are, if cloudpickle is installed.
        """
        packed = zlib.compress(_pickle((value, prepare), by_value), _FASTEST)
        return cls(hashlib.sha256(packed).hexdigest(), packed)._with_value(value)

    @classmethod
    def here(cls, value: Any) -> Shared:
        """Wrap a value for tasks in this process and in those forked from it: nothing is pickled.

        >>> Shared.here(abs).value(-3)
        3
        """
        return cls(os.urandom(16).hex(), b"")._with_value(value)

    def _with_value(self, value: Any) -> Shared:
        self.__dict__["value"] = value
        _IN_THIS_PROCESS[self.digest] = self
        return self

    @cached_property
    def value(self) -> Any:
        """The value itself; an EngineError if it cannot be unpickled in this process."""
        with _LOCK:  # other threads wait for it instead of unpickling it, too
            if self.digest not in _RECENT:
                _RECENT[self.digest] = _unpack(self.packed)
            _RECENT.move_to_end(self.digest)
            while len(_RECENT) > _KEPT_VALUES:
                _RECENT.popitem(last=False)
            return _RECENT[self.digest]

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # Out of band where the one who pickles wants to send the bytes by another way.
        packed = pickle.PickleBuffer(self.packed) if protocol >= 5 else bytes(self.packed)
        return _receive, (self.digest, packed)


_IN_THIS_PROCESS: WeakValueDictionary[str, Shared] = WeakValueDictionary()
_RECENT: OrderedDict[str, Any] = OrderedDict()
_LOCK = threading.RLock()


def _receive(digest: str, packed: Any) -> Shared:
    return _IN_THIS_PROCESS.get(digest) or Shared(digest, packed)


def _pickle(value: Any, by_value: bool) -> bytes:
    problem: Exception | None = None
    try:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        data, problem = b"", error
    if by_value and (problem is not None or b"__main__" in data):
        try:
            import cloudpickle

            data, problem = cloudpickle.dumps(value, pickle.HIGHEST_PROTOCOL), None
        except ImportError:
            pass
        except Exception as error:  # objects of others raise anything when they are pickled
            problem = error
    if problem is not None:
        raise InputError(
            f"this work cannot be sent to other processes: {problem}; a measure, model or "
            "function of your own must be defined in a module that they can import"
        )
    return data


def _unpack(packed: Any) -> Any:
    try:
        value, prepare = pickle.loads(zlib.decompress(packed))  # noqa: S301  # made by Shared.of
    except (ImportError, AttributeError) as error:
        raise EngineError(
            f"this work cannot be read in another process: {error}; a measure, model or function "
            "of your own must be defined in a module that all processes can import"
        ) from None
    if prepare is not None:
        prepare(value)
    return value

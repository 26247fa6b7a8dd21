"""Where a collection is: a local directory, or a URL that fsspec can open.

A URL begins with a protocol and `://`, as in `s3://bucket/wiki`; protocols may be chained, as in
`zip://wiki::https://host/wiki.zip`. Everything else is a path, `C:\\wiki` and `a:b` included.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from doxeval.errors import InputError, OutputError

# In the cache, where the files of a directory came from. No file of a collection has such a name.
URL_FILE = ".url"
_PROTOCOL = r"[A-Za-z][A-Za-z0-9+.\-]+"  # two characters at least: one is a drive of Windows
_URL = rf"(?:{_PROTOCOL}::)*{_PROTOCOL}://"
# What becomes of a URL when it is made a Path.
_FLATTENED = rf"({_PROTOCOL}:)[/\\][^/\\]"
_CREDENTIALS = r"(?<!github)://[^/@]*:[^/@]+@"  # github://organisation:repository@ has none
_LOCAL = ("file", "local")
CACHE_VARIABLE = "DOXEVAL_CACHE"
ELSEWHERE = f"the environment variable {CACHE_VARIABLE} can name another directory"


def is_url(location: str | os.PathLike[str]) -> bool:
    """Whether a location is a URL, not a path.

    >>> [is_url(one) for one in ("s3://bucket/wiki", "zip://a::file:///b.zip", "C:\\\\wiki", "a:b")]
    [True, True, False, False]
    """
    given = os.fsdecode(location)
    return "://" in given and re.match(_URL, given) is not None


def local_path(location: str | os.PathLike[str], error: type[InputError]) -> Path | None:
    """The path of a local directory, which a `file:` URL may name; None for any other URL.

    >>> local_path("wiki", InputError).name, local_path("file:///data/my%20wiki", InputError).name
    ('wiki', 'my wiki')
    >>> local_path("s3://bucket/wiki", InputError) is None
    True
    >>> local_path("http://[::1/wiki", InputError)
    Traceback (most recent call last):
    doxeval.errors.InputError: http://[::1/wiki: this is not a URL: Invalid IPv6 URL
    """
    given = os.fsdecode(location)
    if not is_url(given):
        if _is_flattened(given):
            message = "a URL is given as a string: a Path loses one of its slashes"
            raise error(message, given)
        return Path(given)
    from urllib.parse import unquote, urlsplit  # not worth its time for most commands

    try:
        parts = urlsplit(given)
    except ValueError as reason:
        check_url(given, error)  # so that no password is repeated
        raise error(f"this is not a URL: {reason}", given) from None
    if parts.scheme not in _LOCAL:
        return None
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or not path.startswith("/") or "\0" in path:
        raise error("expected three slashes and a whole path, as in file:///data/wiki", given)
    return Path(path)


def check_url(url: str, error: type[InputError]) -> None:
    """Refuse a URL that names a password, or one of the web with a query.

    >>> check_url("sftp://me:secret@host/wiki", InputError)
    Traceback (most recent call last):
    doxeval.errors.InputError: the URL contains a password, which would end up in results, ...
    """
    if re.search(_CREDENTIALS, url):
        raise error(
            "the URL contains a password, which would end up in results, reports and pickles; "
            "give it where fsspec looks for it, such as FSSPEC_SFTP_PASSWORD"
        )
    if re.match(r"https?://[^?#]*[?#]", url):
        raise error("expected the URL of a directory, without ? and #", url)


def refuse_url(out: str | os.PathLike[str]) -> None:
    """Refuse to write to a URL.

    >>> refuse_url("s3://bucket/wiki")
    Traceback (most recent call last):
    doxeval.errors.OutputError: s3://bucket/wiki: only local directories can be written; ...
    """
    given = os.fsdecode(out)
    if is_url(given) or _is_flattened(given):
        url = given if is_url(given) else given.replace(":/", "://", 1)
        raise OutputError(
            f"{url}: only local directories can be written; write one, and copy it to the URL"
        )


def absolute(location: str | os.PathLike[str]) -> str:
    """A location that is the same from any working directory.

    >>> absolute("s3://bucket/wiki"), absolute("/data/../wiki")
    ('s3://bucket/wiki', '/wiki')
    """
    return os.fsdecode(location) if is_url(location) else os.path.abspath(os.fsdecode(location))


def name_of(location: str) -> str:
    """The last part of a path or a URL, to call a collection by.

    >>> name_of("s3://bucket/wiki/"), name_of("zip://wiki::file:///b.zip"), name_of("data/wiki")
    ('wiki', 'wiki', 'wiki')
    """
    if not is_url(location):
        return Path(location).name
    return location.partition("::")[0].rstrip("/").rpartition("/")[2]


def cache_directory() -> Path:
    """Where remote collections are kept, and what is remembered of others.

    >>> cache_directory().is_absolute()
    True
    """
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named).absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():  # a relative one is to be ignored, says the standard
        return base / "doxeval"
    try:
        return Path("~/.cache/doxeval").expanduser()
    except RuntimeError:
        raise OutputError(f"no home directory, and so no cache; {ELSEWHERE}") from None


def _is_flattened(path: str) -> bool:
    """Whether a path was made from a URL: nobody has a directory `s3:`."""
    match = re.match(_FLATTENED, path)
    return match is not None and not os.path.exists(match[1])

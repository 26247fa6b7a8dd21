"""The names of character encodings.

Python looks up any codec by name: not only encodings of characters, but also `base64`, `rot13`,
`punycode` or `unicode_escape`. A document must not choose one of those, so the encodings are
listed here.
"""

from __future__ import annotations

import re
from functools import lru_cache

# As Python names its codecs.
_CODECS = frozenset(
    (
        "ascii utf_7 utf_8 utf_8_sig utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le "
        "latin_1 iso8859_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 iso8859_8 "
        "iso8859_9 iso8859_10 iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 "
        "cp037 cp273 cp424 cp437 cp500 cp720 cp737 cp775 cp850 cp852 cp855 cp856 cp857 cp858 "
        "cp860 cp861 cp862 cp863 cp864 cp865 cp866 cp869 cp874 cp875 cp932 cp949 cp950 cp1006 "
        "cp1026 cp1125 cp1140 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 "
        "big5 big5hkscs gb2312 gbk gb18030 hz johab euc_jp euc_jis_2004 euc_jisx0213 euc_kr "
        "iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3 iso2022_jp_ext "
        "iso2022_kr shift_jis shift_jis_2004 shift_jisx0213 hp_roman8 koi8_r koi8_t koi8_u kz1048 "
        "mac_arabic mac_croatian mac_cyrillic mac_farsi mac_greek mac_iceland mac_latin2 "
        "mac_roman mac_romanian mac_turkish palmos ptcp154 tis_620"
    ).split()
)
# Names that web pages use and Python does not know.
_WEB_NAMES = {
    "csiso88596e": "iso8859_6",
    "csiso88596i": "iso8859_6",
    "csiso88598e": "iso8859_8",
    "csiso88598i": "iso8859_8",
    "dos_874": "cp874",
    "iso88598i": "iso8859_8",
    "iso_8859_6_e": "iso8859_6",
    "iso_8859_6_i": "iso8859_6",
    "iso_8859_8_e": "iso8859_8",
    "iso_8859_8_i": "iso8859_8",
    "koi": "koi8_r",
    "koi8_ru": "koi8_u",
    "logical": "iso8859_8",
    "unicode_1_1_utf_8": "utf_8",
    "windows_874": "cp874",
    "windows_949": "cp949",
    "x_cp1250": "cp1250",
    "x_cp1251": "cp1251",
    "x_cp1252": "cp1252",
    "x_euc_jp": "euc_jp",
    "x_gbk": "gbk",
    "x_mac_cyrillic": "mac_cyrillic",
    "x_mac_roman": "mac_roman",
    "x_mac_ukrainian": "mac_cyrillic",
    "x_sjis": "cp932",
    "x_x_big5": "big5",
}
_LONGEST_NAME = 40
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,39}")


def python_codec(name: str) -> str | None:
    """Return Python's codec for a character encoding; None if there is no such encoding.

    >>> python_codec("ISO-8859-1"), python_codec("windows-1252"), python_codec("rot13")
    ('latin_1', 'cp1252', None)
    """
    return _look_up(name) if _NAME.fullmatch(name) else None


@lru_cache(64)
def _look_up(name: str) -> str | None:
    from encodings import normalize_encoding
    from encodings.aliases import aliases

    spelt = normalize_encoding(name).lower()
    codec = _WEB_NAMES.get(spelt) or aliases.get(spelt) or spelt
    return codec if codec in _CODECS else None


def unknown_encoding_message(name: str) -> str:
    """Return the message about a name that is not that of a character encoding.

    >>> unknown_encoding_message("base64")
    "unknown encoding 'base64'; expected the name of a character encoding, such as UTF-8"
    """
    shown = repr(name[:_LONGEST_NAME]) + ("…" if len(name) > _LONGEST_NAME else "")
    return f"unknown encoding {shown}; expected the name of a character encoding, such as UTF-8"

"""Parsers of short texts: NEXI, paths, text points, patterns, names of measures and models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from random import Random

from doxeval.documents import PathPatterns, parse_path, parse_point
from doxeval.errors import DoxevalError
from doxeval.measures import MEASURES, PRESETS, explain_measure, measure_named
from doxeval.named import Named
from doxeval.retrieve import MODELS, model_named
from doxeval.retrieve import explain_model as explained_model
from doxeval.topics import Interpretation, Precedence, StructuredQuery, parse_nexi
from fuzzing import good_files as good
from fuzzing.inputs import (
    MEASURES_WORDS,
    NEXI,
    NEXI_WORDS,
    NUMBERS,
    PATHS_WORDS,
    PATTERN,
    POINT,
    SHARED,
    happens,
    maker,
)
from fuzzing.target import Broken, Target, collection


def _text(data: bytes) -> str:
    """The text as it would come from a command line."""
    return data.decode("utf-8", "surrogateescape")


def nexi(data: bytes) -> object:
    """A query by both precedences: printed, parsed again, read strictly and vaguely, counted."""
    found = None
    precedences: tuple[Precedence, ...] = ("and", "flat")
    for precedence in precedences:
        query = parse_nexi(_text(data), precedence)
        if parse_nexi(str(query)) != query:
            raise Broken("a query does not parse back from its own text")
        if isinstance(query, StructuredQuery):
            for name in ("sscas", "vvcas"):
                interpretation = Interpretation.named(name)
                interpretation.supports_of(query)
                collection().count_matching(str(interpretation.target_of(query)))
        found = query
    return found


def paths(data: bytes) -> object:
    """A path or a text point, looked up."""
    text = _text(data)
    for parse in (parse_path, parse_point):
        try:
            parse(text)
        except DoxevalError:
            continue
    points = collection().points()
    try:
        found = collection().element("a", text)
        return found.text, [inner.path for inner in found.descendants()]
    except DoxevalError:
        return points.offset("a", text, "end")


def patterns(data: bytes) -> object:
    """Patterns of paths, matched."""
    found = PathPatterns.parse(_text(data))
    return found.matches(collection().summary), str(found)


def measures(data: bytes) -> object:
    """The name of a measure: its printed name parses back, and it can be explained."""
    measure = measure_named(_text(data))
    again = measure_named(str(measure))
    if str(again) != str(measure):
        raise Broken(f"{measure} parses back as {again}")
    return explain_measure(measure)


def models(data: bytes) -> object:
    """The name of a retrieval model: its printed name parses back, and it can be explained."""
    model = model_named(_text(data))
    again = model_named(str(model))
    if str(again) != str(model):
        raise Broken(f"{model} parses back as {again}")
    return explained_model(model)


def names_of(known: Mapping[str, type[Named]]) -> Callable[[Random], bytes]:
    """Names of measures or models with some of their own parameters."""
    edges = [number.decode() for number in NUMBERS]
    values = ["0", "1", "0.5", "10", "depth", "ideal", "full", "gen", "spec", "p+b", "auto", ""]

    def made(chance: Random) -> bytes:
        kind = chance.choice(list(known.values()))
        text = kind.name
        if happens(chance, 0.4):
            text += "@" + chance.choice(["10", "1", chance.choice(edges)])
        if happens(chance, 0.4):
            text += "[" + chance.choice([".01", "0.5", "1", chance.choice(edges)]) + "]"
        names = [spec.name for spec in fields(kind)]
        chosen = [name for name in names if happens(chance, 0.4)]
        if chosen or happens(chance, 0.1):
            kinds = [values] * 6 + [edges] * 3 + [list(SHARED["odd"])]
            given = (chance.choice(chance.choice(kinds)) for _ in chosen)
            text += "(" + ",".join(f"{n}={v}" for n, v in zip(chosen, given, strict=True)) + ")"
        return text.encode("utf-8", "surrogateescape")

    return made


measure_names = names_of(MEASURES)
TARGETS = (
    Target("nexi", nexi, (good.QUERY, good.CONTENT), NEXI_WORDS, maker(NEXI), 8),
    Target(
        "paths-and-points",
        paths,
        (b"/s[1]/p[1]", b"/s/p[1]/text()[1].3"),
        PATHS_WORDS,
        maker(POINT),
        6,
    ),
    Target("path-patterns", patterns, (b"//s//p", b"/s/*,//b"), PATHS_WORDS, maker(PATTERN), 6),
    Target(
        "measure-names",
        measures,
        (b"nxCG@10(base=ideal,quant=spec)", *(str(m).encode() for m in ("iP[0.01]", "MAgP"))),
        (*MEASURES_WORDS, *map(str.encode, MEASURES), *map(str.encode, PRESETS)),
        measure_names,
        8,
    ),
    Target(
        "model-names",
        models,
        (b"lm(element=.2,prior=1)", b"bm25(k1=4,b=.8,pivot=mean,idf=words)"),
        (*MEASURES_WORDS, *map(str.encode, MODELS)),
        names_of(MODELS),
        2,
    ),
)

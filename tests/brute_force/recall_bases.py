"""What elements are worth, and which of them an ideal system would return."""

from __future__ import annotations

from fractions import Fraction

from brute_force.numbers import ZERO
from brute_force.scene import Scene, Unit
from doxeval.assessments import Grade2002, Grade2003, Grade2005

Values = dict[Unit, Fraction]
LINKS = (
    "collectionlink wikipedialink redirectlink unknownlink outsidelink weblink imagelink "
    "languagelink"
).split()


def _table(text: str) -> dict[str, Fraction]:
    rows = (row.split() for row in text.split(";"))
    return {grade: Fraction(value) for value, *grades in rows for grade in grades}


# Grades as two characters: relevance and coverage (2002), exhaustivity and specificity (2003–04).
TABLES = {
    "strict": _table("1 3E 33"),
    "gen": _table("1 3E 33; 0.75 2E 3L 3S 23 32 31; 0.5 1E 2L 2S 13 22 21; 0.25 1L 1S 12 11"),
    "sog": _table("1 33; 0.9 23; 0.75 13 32; 0.5 22; 0.25 12 31; 0.1 21 11"),
    "e3s32": _table("1 33 32"),
    "e3s321": _table("1 33 32 31"),
    "s3e32": _table("1 33 23"),
    "s3e321": _table("1 33 23 13"),
}


def ignored_tags(ignore: str) -> list[str]:
    """The tags that are filtered out."""
    return {"none": [], "links": LINKS}.get(ignore, ignore.split("+"))


def values(scene: Scene, quant: str, ignore: str = "none") -> Values:
    """The full recall base: every element with a value above 0, in document order."""
    worth = {
        element: _value(scene, element, quant)
        for element in scene.judgeable
        if element.tag not in ignored_tags(ignore)
    }
    return {element: value for element, value in worth.items() if value > 0}


def _value(scene: Scene, element: Unit, quant: str) -> Fraction:
    if quant == "spec" and not scene.lists_say:
        return scene.specificity(element)
    for judgment in scene.judgments:
        if judgment.document == element.document:
            for graded in judgment.grades:
                if graded.path == element.path and graded.grade is not None:
                    return TABLES[quant].get(digits(graded.grade), ZERO)
            for listed in judgment.elements:
                if listed.path == element.path:
                    share = scene.specificity(element)
                    if scene.lists_say:
                        share = Fraction(listed.highlighted, listed.size)
                    return _value_of_2005(listed.exhaustivity or 0, share, quant)
    return ZERO


def usual_quantisation(scene: Scene) -> str:
    """spec for highlighted text or lists of it; else the generalised one of the grades' scale."""
    grades = [graded.grade for one in scene.every_judgment for graded in one.grades]
    if scene.any_highlights or any(one.elements for one in scene.every_judgment):
        return "spec"
    known = [grade for grade in grades if grade is not None]
    if not known:
        return "spec"
    return "gen5" if isinstance(known[0], Grade2005) else "gen"


def digits(grade: object) -> str:
    """A grade of 2002 or 2003 as two characters."""
    if isinstance(grade, Grade2002):
        return f"{grade.relevance}{grade.coverage}"
    assert isinstance(grade, Grade2003)
    return f"{grade.exhaustivity}{grade.specificity}"


def grade_of(scene: Scene, element: Unit) -> str | None:
    """The grade of an element as two characters; None if it was not judged."""
    for judgment in scene.judgments:
        for graded in judgment.grades:
            if (judgment.document, graded.path) == (element.document, element.path):
                return digits(graded.grade)
    return None


def _value_of_2005(exhaustivity: int, share: Fraction, quant: str) -> Fraction:
    if quant == "spec":
        return share
    if quant == "strict5":
        return Fraction(exhaustivity == 2 and share == 1)
    return (exhaustivity + {"gen5": 0, "genLifted": 1}[quant]) * share


def ideal_base(full: Values) -> Values:
    """On each maximal relevant path the best element, the highest of equals; then no overlap."""
    kept = set()
    for leaf in full:
        if not any(other.is_inside(leaf) for other in full):
            path = [element for element in full if element == leaf or leaf.is_inside(element)]
            path.sort(key=lambda element: element.depth)
            kept.add(max(path, key=lambda element: full[element]))
    return {
        element: value
        for element, value in full.items()
        if element in kept and not any(element.is_inside(other) for other in kept)
    }


def recall_base(scene: Scene, base: str, quant: str, ignore: str = "none") -> Values:
    """The full or the ideal recall base."""
    full = values(scene, quant, ignore)
    return {"full": full, "ideal": ideal_base(full)}[base]

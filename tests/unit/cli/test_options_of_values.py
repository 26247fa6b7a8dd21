"""Options of the command line that are made of frozen values."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from doxeval.cli import LibraryOptions, library_options, verb
from doxeval.errors import InputError
from doxeval.named import check_options, option


@dataclass(frozen=True)
class Weather:
    """Options of every type."""

    sky: str = option("clear", "What is seen.", choices=("clear", "grey"))
    wind_force: int = option(3, "How strong it is.", at_least=0, at_most=12, flags=("-w", "--wind"))
    fog: float | None = option(None, "How thick it is.", at_least=0, shown_default="by the month")
    year: int | None = option(None, "Which year.")
    storm: bool = option(False, "Whether it storms.")
    places: tuple[str, ...] = option((), "Where.", metavar="PLACE", flags=("--place",))
    log: Path | None = option(None, "The file.", metavar="FILE")
    remarks: str = "no option"

    def __post_init__(self) -> None:
        check_options(self)


def weather_of(*arguments: str) -> Weather:
    @verb(Weather)
    def command(options: Weather) -> Weather:
        return options

    made: Weather = command(list(arguments), standalone_mode=False)
    return made


@dataclass(frozen=True)
class Forecast:
    """Options of which some are those of a value of the library."""

    fog: LibraryOptions[Weather] = library_options(f"{__name__}:Weather", "fog")
    days: int = option(1, "How many days.")
    others: LibraryOptions[Weather] = library_options(
        f"{__name__}:Weather", but=("fog", "sky", "places", "log")
    )


@verb(Forecast)
def forecast(options: Forecast) -> Forecast:
    return options


def test_options_make_the_value() -> None:
    assert weather_of() == Weather()
    given = "--sky grey -w 7 --fog .5 --year 2026 --storm --place a --place b --log x".split()
    assert weather_of(*given) == Weather(
        "grey", 7, 0.5, 2026, storm=True, places=("a", "b"), log=Path("x")
    )


def test_a_verb_may_have_defaults_of_its_own_where_the_help_explains_them() -> None:
    plain: Forecast = forecast([], standalone_mode=False)
    assert plain.fog.value(fog=0.1).fog == 0.1
    given: Forecast = forecast(["--fog", "2"], standalone_mode=False)
    assert given.fog.value(fog=0.1).fog == 2


def test_only_some_options_in_the_order_of_fields() -> None:
    flags = [option.opts[-1] for option in forecast.params]
    assert flags == ["--fog", "--days", "--wind", "--year", "--storm"]


def test_choices_in_capital_letters() -> None:
    @dataclass(frozen=True)
    class Sky:
        colour: str = option("blue", "Its colour.", choices=("blue", "red"), ignore_case=True)

    @verb(Sky)
    def command(options: Sky) -> str:
        return options.colour

    assert command(["--colour", "RED"], standalone_mode=False) == "red"
    with pytest.raises(click.UsageError):
        weather_of("--sky", "GREY")


def test_the_help_of_options() -> None:
    @verb(Weather)
    def command(options: Weather) -> None: ...

    lines = command.get_help(click.Context(command, max_content_width=120)).splitlines()
    assert [" ".join(line.split()) for line in lines[3:-1]] == [
        "--sky [clear|grey] What is seen. [default: clear]",
        "-w, --wind INTEGER RANGE How strong it is. [default: 3; 0<=x<=12]",
        "--fog FLOAT RANGE How thick it is. [default: by the month] [x>=0]",
        "--year INTEGER Which year.",
        "--storm Whether it storms.",
        "--place PLACE Where.",
        "--log FILE The file.",
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sky": "blue"}, "sky='blue': expected one of clear, grey"),
        ({"sky": None}, "sky=None: expected one of clear, grey"),
        ({"wind_force": 13}, "wind_force=13: expected a whole number from 0 to 12"),
        ({"wind_force": 1.5}, "wind_force=1.5: expected a whole number from 0 to 12"),
        ({"wind_force": True}, "wind_force=True: expected a whole number from 0 to 12"),
        ({"fog": -1}, "fog=-1: expected a number, 0 or more"),
        ({"fog": float("nan")}, "fog=nan: expected a number, 0 or more"),
        ({"year": "now"}, "year='now': expected a whole number"),
    ],
)
def test_what_is_not_acceptable_is_an_error(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Weather(**given)
    assert str(caught.value) == message


def test_help_of_all_verbs_does_not_import_what_their_options_are_made_of() -> None:
    code = (
        "import sys, doxeval.cli\n"
        "try: doxeval.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit('doxeval.retrieve.options' in sys.modules or 'numpy' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == 0

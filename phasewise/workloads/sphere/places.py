"""The stations of a study: points of the sphere at which the height is recorded."""

from __future__ import annotations

from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import Key, convert, plain, show

Place = tuple[float, float]
"""Latitude and longitude [degrees]."""

WHERE = "records.stations"
MOST_STATIONS = 1000
PAIR = Key("numbers", length=2, least=-360, most=360, unit="latitude, longitude in degrees")


def read_stations(value: Any) -> tuple[Place, ...]:
    """records.stations as places; StudyError if it is no list of them."""
    found = plain(value)
    if found is None:
        return ()
    if not isinstance(found, list | tuple):
        raise StudyError(
            f"{WHERE} must be a list of [latitude, longitude] in degrees, but is {show(found)}"
        )
    if len(found) > MOST_STATIONS:
        raise StudyError(f"{WHERE} has {len(found)} stations; at most {MOST_STATIONS} are accepted")
    return tuple(_place(one, f"{WHERE}[{number}]") for number, one in enumerate(found, 1))


def _place(value: Any, where: str) -> Place:
    latitude, longitude = convert(value, PAIR, where)
    if abs(latitude) > 90:
        raise StudyError(
            f"{where}: the latitude {latitude:g} must be within -90 and 90 degrees; a station is "
            "[latitude, longitude]"
        )
    return latitude, longitude

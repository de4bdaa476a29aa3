"""Altair and vl-convert, which draw: imported when they are first used, so that reading and its faults need neither."""
from __future__ import annotations

import importlib
from functools import lru_cache

from .reading import Problem

INSTALL = "python3 -m pip install altair vl-convert-python"


class Library:
    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str):
        return getattr(importlib.import_module(self._name), attribute)


alt, vlc = Library("altair"), Library("vl_convert")


def load_libraries() -> None:
    try:
        import altair
        import vl_convert  # noqa: F401
        from altair.utils.schemapi import disable_debug_mode
    except ImportError as error:
        raise Problem(f"{error.name} is not installed: {INSTALL}", code=1)
    altair.data_transformers.consolidate_datasets = False
    disable_debug_mode()  # Vega-Lite itself says what it cannot draw; a check of every part takes most of the time


class Values:
    """Rows that Altair takes as they are. In a list it would look at each value of each row, and at all again whenever a chart is copied."""
    _schema: dict = {}

    def __init__(self, rows: list):
        self.to_dict = lambda *_, **__: rows


def data(rows: list):
    return alt.Data(values=Values(rows))


def vega_lite() -> str:
    return ".".join(alt.SCHEMA_VERSION.split(".")[:2])


@lru_cache
def scripts() -> str:
    """Vega, Vega-Lite and what embeds them."""
    return vlc.javascript_bundle(vl_version=vega_lite())

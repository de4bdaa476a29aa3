"""The page around what is shown, and its tables, figures and folds."""
from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

from .answer import shades
from .svg import DARK, LIGHT, inline
from .text import escape, titled

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
<title>Fanout: @title@</title>
<style>
@css@</style>
</head>
<body>
<main>
@body@
</main>
</body>
</html>
"""


def document(name: str, body: list[str], style: str = "") -> str:
    """The whole page: all that it needs is in it, and nothing in it runs."""
    variables = lambda theme: "".join(f"--{key}:{value};" for key, value in theme.items())
    css = (f":root{{{variables(LIGHT)}}}{shades('light')}@media screen and (prefers-color-scheme: dark){{:root{{{variables(DARK)}}}{shades('dark')}}}\n"
           f"{Path(__file__).with_name('page.css').read_text(encoding='utf-8')}{style}\n")
    parts = dict(title=escape(name), css=css, body="\n".join(body))
    return re.sub("@(title|css|body)@", lambda match: parts[match[1]], PAGE)


def table(caption: str, head: list[str], rows: list[list], text: tuple = ()) -> str:
    """Rows whose first cell is a header; a cell is text, or a tuple of text and what stands small below it, and a class."""
    def td(column: int, content) -> str:
        main, note, kind = (*content, "", "")[:3] if isinstance(content, tuple) else (content, "", "")
        inner = titled(main) + f"<small>{escape(note)}</small>" * bool(note)
        kind = " ".join(filter(None, (kind, "text" * (column in text))))
        return f'<th scope="row">{inner}</th>' if column == 0 else f'<td{f""" class="{kind}" """.rstrip() if kind else ""}>{inner}</td>'
    heads = "".join(f'<th scope="col"{" class=text" if i in text else ""}>{titled(name)}</th>' for i, name in enumerate(head))
    body = "".join("<tr>" + "".join(td(i, content) for i, content in enumerate(row)) + "</tr>\n" for row in rows)
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption or "table")}"><table>' + f"<caption>{escape(caption)}</caption>" * bool(caption)
            + f"<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table></div>")


def fold(title: str, *parts: str, is_open: bool = False) -> str:
    return f"<details{' open' * is_open}><summary>{escape(title)}</summary>{''.join(parts)}</details>" if any(parts) else ""


def definitions(lines: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in lines) + "</dl>"


def items(lines: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>" if lines else ""


def figure(one: SimpleNamespace, has_title: bool = True) -> str:
    """A picture with its title, what it shows, and the numbers behind it."""
    return (f'<section id="{one.key}">{f"<h2>{escape(one.title)}</h2>" * has_title}<p class="quiet">{escape(one.caption)}</p><figure>{inline(one)}</figure>'
            f'{fold("The numbers behind it", one.numbers)}</section>')

# SPDX-License-Identifier: Apache-2.0

"""Records of results, and the text that the page has between markers."""

import datetime
import json
import os
import re

_BLOCK = re.compile(r"<!-- performance_page: (\S+) -->\n.*?<!-- end -->", re.DOTALL)


def _path(folder, name):
    return os.path.join(folder, name + ".json")


def write_record(folder, name, record):
    with open(_path(folder, name), "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1, ensure_ascii=False)
        file.write("\n")


def read_record(folder, name):
    with open(_path(folder, name), encoding="utf-8") as file:
        return json.load(file)


def _row(cells):
    return "| " + " | ".join(cells) + " |" if any(cells) else "|" + " |" * len(cells)


def _table(rows):
    """Returns the lines of a table, whose first row is its head."""
    head = _row(rows[0])
    return [re.sub(r"\|  (?=\|)", "| ", line) for line in [head, "|" + "---|" * len(rows[0]), *map(_row, rows[1:])]]


def block(name, section, record):
    """Returns the text of a section, with its markers."""
    date = datetime.date.fromisoformat(record["date"])
    measured = f"Measured on {date:%B} {date.day}, {date.year}" + (f", {record['note']}." if record["note"] else ".")
    lines = [f"<!-- performance_page: {name} -->", "", *(f"    {line}" for line in section.commands), "", measured]
    for rows in section.tables(record["results"]):
        lines += ["", *_table(rows)]
    return "\n".join([*lines, "", "<!-- end -->"])


def render(text, sections, folder):
    """Returns the page with the blocks of all sections made anew. Raises KeyError if the page names another section,
    and ValueError if it lacks one."""
    found = _BLOCK.findall(text)
    missing = [name for name in sections if found.count(name) != 1]
    if missing:
        raise ValueError("the page must have exactly one block of each section; see " + ", ".join(missing))
    return _BLOCK.sub(lambda match: block(match[1], sections[match[1]], read_record(folder, match[1])), text)

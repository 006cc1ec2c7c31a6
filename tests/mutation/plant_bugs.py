#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes copies of sources with bugs in them that can be switched on.

    plant_bugs.py DIR [--joined=A.cc,B.cc ...] BUGS.txt ...

reads what the bugs are, and the sources that they name, which lie below the current folder. README.md says how a bug is
written down. Into DIR it writes a copy of each source, with a variable for each of its bugs, and planted_bugs.cc, the
table of all bugs (planted_bugs.h). A bug whose text the source does not have, or has several times, is an error.

Sources that the library compiles as one file are one file here, too, if any of them has a bug: the linker takes all of them
from the copy or none.
"""

import functools
import os
import re
import sys

_NAME = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*): (\S.*)")
_SWITCH = re.compile(r"\bPLANTED\b(?:\(([a-z0-9-]+)\))?")


class Change:
    """A hunk: what stands in a source, and what stands there with the bug."""

    def __init__(self, path, where):
        self.path = path
        self.where = where  # of the hunk, as FILE:LINE
        self.lines = []  # pairs of a mark, one of " -+", and a text

    def parts(self):
        """The text in front of what changes, that text, and the one behind it; and what stands there with the bug."""
        changed = [i for i, (mark, _) in enumerate(self.lines) if mark != " "]
        first, last = changed[0], changed[-1] + 1
        before, middle, behind = self.lines[:first], self.lines[first:last], self.lines[last:]
        return ([text for _, text in before], [text for mark, text in middle if mark != "+"],
                [text for _, text in behind], [text for mark, text in middle if mark != "-"])


class Bug:
    def __init__(self, name, description, where):
        self.name = name
        self.description = description
        self.why_uncaught = ""
        self.where = where
        self.changes = []
        self.paths = []  # of the sources that ask whether it is planted


def parse(file_name, text, errors):
    """The bugs of a file of bugs."""
    bugs = []
    bug = change = None
    continues = ""  # the attribute that a line which begins with blanks adds to
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{file_name}:{number}"
        if line.startswith("#"):
            continue
        if not line.strip():
            bug = change = None
        elif bug is None:
            match = _NAME.fullmatch(line)
            if not match:
                errors.append(f"{where}: a bug begins with 'name: what it does', not with: {line}")
                continue
            bug = Bug(match[1], match[2], where)
            bugs.append(bug)
            continues = "description"
        elif line.startswith("in "):
            change = Change(line[3:].strip(), where)
            bug.changes.append(change)
        elif change is not None and line[:2] in ("- ", "+ ", "  ") and line[2:].strip():
            change.lines.append((line[0], line[2:].strip()))
        elif change is None and line.startswith("not caught: "):
            bug.why_uncaught = line[len("not caught: "):]
            continues = "why_uncaught"
        elif change is None and line.startswith("  "):
            setattr(bug, continues, getattr(bug, continues) + " " + line.strip())
        else:
            errors.append(f"{where}: {bug.name}: this line says nothing: {line}")
    return bugs


def _tokens(texts):
    return [token for text in texts for token in re.findall(r"\w+|[^\w\s]", text)]


def _pattern(tokens):
    """Blanks and line ends between tokens are alike, and none; words are whole."""
    pattern = ""
    for previous, token in zip([""] + tokens, tokens):
        pattern += (r"\s*" if previous else "") + (r"\b" if re.match(r"\w", token) else "") + re.escape(token)
    return pattern + (r"\b" if re.match(r"\w", tokens[-1]) else "")


def _beginning(source, texts):
    """How much of a text is there, for a message."""
    tokens = _tokens(texts)
    known = 0
    while known < len(tokens) and re.search(_pattern(tokens[:known + 1]), source):
        known += 1
    if known == 0:
        return "not even its first word is there"
    match = re.search(_pattern(tokens[:known]), source)
    return f"line {_line_of(source, match.start())} has no more of it than: {' '.join(match[0].split())}"


def _line_of(source, position):
    return source.count("\n", 0, position) + 1


def _edit(change, source, error):
    """The place of the change in the source, and what is to stand there. None if there is no such place."""
    if all(mark == " " for mark, _ in change.lines):
        return error("nothing changes here: lines that begin with '- ' or '+ ' are missing")
    before, real, behind, mutant = change.parts()
    wanted = before + real + behind
    if not wanted:
        return error("where this belongs is not said: add lines around it, which begin with two blanks")
    if any("//" in text for text in before[-1:] + mutant):
        return error("a comment hides what follows: the new text becomes one line")
    pattern = r"\s*".join(f"({_pattern(_tokens(texts))})" for texts in (before, real, behind) if texts)
    matches = list(re.finditer(pattern, source))
    shown = "".join("\n    " + text for text in wanted)
    if not matches:
        return error(f"{change.path} does not have this text ({_beginning(source, wanted)}):{shown}")
    if len(matches) > 1:
        lines = ", ".join(str(_line_of(source, match.start())) for match in matches[:5])
        lines += " ..." if len(matches) > 5 else ""
        return error(f"{change.path} has this text {len(matches)} times, in lines {lines}; add lines around it, which "
                     f"begin with two blanks:{shown}")
    match = matches[0]
    text = " ".join(mutant)
    if real:
        start, end = match.span(2 if before else 1)
        # Lines keep their numbers.
        return start, end, text + "\n" * source.count("\n", start, end)
    if before:
        return match.end(1), match.end(1), " " + text
    return match.start(1), match.start(1), text + " "


def _switch_name(bug, path):
    name = bug.name.replace("-", "_")
    return name if len(bug.paths) == 1 else f"{name}_{bug.paths.index(path) + 1}"


def _mutated(path, source, edits, bugs):
    """The copy of a source. `edits` are (start, end, text, bug, ...)."""
    parts = []
    position = 0
    for start, end, text, owner, *_ in edits:
        parts.append(source[position:start])
        parts.append(_SWITCH.sub(
            lambda match: "::ptxmir::testing::planted::" + _switch_name(bugs[match[1] or owner.name], path), text))
        position = end
    parts.append(source[position:])
    switches = "".join(f"bool {_switch_name(bug, path)} = false;\n" for bug in bugs.values() if path in bug.paths)
    return (f"// Made of {path} by tests/mutation/plant_bugs.py.\n\n"
            f"namespace ptxmir::testing::planted {{\n{switches}}}\n#line 1 \"{path}\"\n" + "".join(parts))


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _table(bugs):
    declarations = "".join(f"extern bool {_switch_name(bug, path)};\n" for bug in bugs for path in bug.paths)
    rows = ""
    for bug in bugs:
        places = ", ".join(f"{{{_quoted(path)}, &planted::{_switch_name(bug, path)}}}" for path in bug.paths)
        rows += f"      {{{_quoted(bug.name)},\n       {_quoted(bug.description)},\n"
        rows += f"       {_quoted(bug.why_uncaught)},\n       {{{places}}}}},\n"
    return ("// Made by tests/mutation/plant_bugs.py.\n\n#include \"tests/mutation/planted_bugs.h\"\n\n"
            f"namespace ptxmir::testing {{\nnamespace planted {{\n{declarations}}}\n\n"
            "const std::vector<PlantedBug>& PlantedBugs() {\n"
            f"  static const auto* const kBugs = new std::vector<PlantedBug>{{\n{rows}  }};\n  return *kBugs;\n}}\n\n"
            "}  // namespace ptxmir::testing\n")


def _find_edits(bug, bugs, source_of, errors):
    """By path, what the changes of a bug come to: (start, end, text, bug, where it is written down)."""
    edits = {}
    for change in bug.changes:
        error = lambda message: errors.append(f"{change.where}: {bug.name}: {message}")
        source = source_of(change.path) if change.path.endswith(".cc") else None
        if source is None:
            error(f"the library has no .cc file named {change.path}")
            continue
        for match in (match for _, text in change.lines for match in _SWITCH.finditer(text)):
            asked = bugs.get(match[1] or bug.name)
            if asked is None:
                error(f"there is no bug named {match[1]}")
            elif change.path not in asked.paths:
                asked.paths.append(change.path)
        if edit := _edit(change, source, error):
            edits.setdefault(change.path, []).append((*edit, bug, change.where))
    for path in edits:
        if path not in bug.paths:
            errors.append(f"{bug.where}: {bug.name}: no text in {path} asks whether it is PLANTED")
    return edits


def _check_overlaps(path, source, edits, errors):
    for (_, end, _, bug, _), (start, _, _, other, where) in zip(edits, edits[1:]):
        if start < end:
            errors.append(f"{where}: {other.name}: the text overlaps with that of {bug.name}, in line "
                          f"{_line_of(source, start)} of {path}; let one text ask for both bugs, "
                          f"with PLANTED({other.name})")


def plant(bug_files, source_of):
    """What is to be written, by path, and what is wrong.

    `bug_files` are pairs of a name and a text; `source_of` gives the text of a source, or None."""
    errors = []
    bugs = {}
    for bug in [bug for name, text in bug_files for bug in parse(name, text, errors)]:
        if bug.name in bugs:
            errors.append(f"{bug.where}: {bug.name}: {bugs[bug.name].where} has this name already")
        bugs.setdefault(bug.name, bug)
    edits = {}
    for bug in bugs.values():
        for path, of_path in _find_edits(bug, bugs, source_of, errors).items():
            edits.setdefault(path, []).extend(of_path)
    for bug in bugs.values():
        if not bug.changes and not bug.paths:
            errors.append(f"{bug.where}: {bug.name}: no text asks whether it is PLANTED")
    files = {}
    for path, of_path in edits.items():
        of_path.sort(key=lambda edit: edit[:2])
        _check_overlaps(path, source_of(path), of_path, errors)
        if not errors:
            files[path] = _mutated(path, source_of(path), of_path, bugs)
    if not errors:
        files["planted_bugs.cc"] = _table(bugs.values())
    return ({} if errors else files), errors


def join(files, groups, source_of):
    """Puts the sources of each group into one file, those without bugs as they are, if the group has a copy at all."""
    for group in groups:
        copies = [path for path in group if path in files]
        if copies:
            parts = [files.pop(path, None) or f'#line 1 "{path}"\n{source_of(path)}' for path in group]
            files[copies[0][:-len(".cc")] + "_joined.cc"] = "".join(parts)


@functools.lru_cache(None)
def _read(path):
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(folder, *arguments):
    groups = [argument[len("--joined="):].split(",") for argument in arguments if argument.startswith("--joined=")]
    names = [argument for argument in arguments if not argument.startswith("--")]
    files, errors = plant([(name, _read(name)) for name in names], _read)
    join(files, groups, _read)
    for error in errors:
        print(error, file=sys.stderr)
    for path, text in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

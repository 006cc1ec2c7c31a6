# SPDX-License-Identifier: Apache-2.0

"""Finds the commands, the options and the transcripts in a Markdown page.

A code block whose first word is a program is a block of commands. If a line of it begins with "$ ", only such lines
are commands, and what follows each is what it prints ("..." at the end of a line stands for the rest of the line,
and alone for any number of lines). In sentences and tables, code in backquotes that begins with a program and has
arguments is a command, too.

HTML comments on lines of their own, which a reader of the page does not see, say how the next block is tested:

    <!-- doctest: skip: REASON -->      it is not run; what can be checked without running it still is
    <!-- doctest: run: COMMAND -->      COMMAND is run in its place: the same programs and options on less work
    <!-- doctest: text -->              it is not a block of commands, although it looks like one
    <!-- doctest: file: NAME = PATH --> the file NAME that the page mentions is PATH of the tree
    <!-- doctest: file: NAME -->        the next block is the file NAME
"""

import dataclasses
import re

_MARKER = re.compile(r"<!-- doctest: (skip|run|text|file)(?:: (.*?))? -->\s*$")
_FENCE = re.compile(r"\s*(```+|~~~+)\s*(\w*)")
_LIST_ITEM = re.compile(r"(\s*)([-*+]|\d+\.)(\s+)\S")
_ASSIGNMENT = re.compile(r"""[A-Za-z_]\w*=("[^"]*"|'[^']*'|\$\([^)]*\)|\S)*\s*""")


@dataclasses.dataclass
class Command:
    page: str
    line: int
    text: str
    is_inline: bool = False
    skip_reason: str = None
    shell_setup: str = ""  # assignments and cd of the same block that come first
    expected: list = None  # the lines that a transcript shows


@dataclasses.dataclass
class Block:
    line: int
    lines: list
    markers: list


class PageError(Exception):
    """A page that cannot be understood."""


def _blocks_and_prose(page, text):
    """Returns the code blocks, with the markers ahead of each, and the prose as (line, text) of each paragraph."""
    blocks, prose, paragraph, markers = [], [], [], []
    lines = text.split("\n")
    list_indent, previous_is_blank, at = 0, True, 0

    def end_paragraph():
        if paragraph:
            prose.append((paragraph[0][0], " ".join(line.strip() for _, line in paragraph)))
            paragraph.clear()

    def add_block(line, code):
        end_paragraph()
        blocks.append(Block(line, code, list(markers)))
        markers.clear()

    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            end_paragraph()
            previous_is_blank = True
            continue
        if "doctest:" in line and "<!--" in line:
            match = _MARKER.match(line.strip())
            if match is None or (match[1] != "text") != bool(match[2]):
                raise PageError(f"{page}:{number}: not a doctest marker: {line.strip()}")
            markers.append((number, match[1], match[2]))
            continue
        if fence := _FENCE.match(line):
            code = []
            while at < len(lines) and not lines[at].strip().startswith(fence[1]):
                code.append(lines[at][indent:])
                at += 1
            at += 1
            add_block(number + 1, code)
            previous_is_blank = True
            continue
        if previous_is_blank and not paragraph and indent >= list_indent + 4:
            code = [line[list_indent + 4:]]
            while at < len(lines) and (not lines[at].strip() or lines[at].startswith(" " * (list_indent + 4))):
                code.append(lines[at][list_indent + 4:])
                at += 1
            while not code[-1].strip():
                code.pop()
            add_block(number, code)
            previous_is_blank = True
            continue
        previous_is_blank = False
        if item := _LIST_ITEM.match(line):
            list_indent = len(item[1] + item[2] + item[3])
            end_paragraph()
        elif indent == 0:
            list_indent = 0
            if line.startswith(("|", "#")):
                end_paragraph()
        paragraph.append((number, line))
    end_paragraph()
    return blocks, prose, markers


def split_line(text):
    """Splits a shell line at && outside of quotes, and drops its comment."""
    parts, part, quote, depth, i = [], "", None, 0, 0
    while i < len(text):
        c = text[i]
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "#" and (i == 0 or text[i - 1].isspace()):
            break
        elif depth == 0 and text.startswith("&&", i):
            parts.append(part.strip())
            part, i = "", i + 2
            continue
        part += c
        i += 1
    parts.append(part.strip())
    return [p for p in parts if p]


def program_of(text):
    """Returns the first word of a command, after assignments."""
    while match := _ASSIGNMENT.match(text):
        text = text[match.end():]
    return text.split()[0] if text.strip() else ""


def _logical_lines(block):
    """Yields (line number, text) with lines that end in a backslash joined."""
    number, text = block.line, ""
    for offset, line in enumerate(block.lines):
        number = number if text else block.line + offset
        text += line.strip() if text else line.rstrip()
        if text.endswith("\\"):
            text = text[:-1].rstrip() + " "
        else:
            yield number, text
            text = ""
    if text:
        yield number, text


def _transcript(block):
    """Yields (line number, command, lines that it prints)."""
    number, command, output = None, None, []
    for at, line in _logical_lines(block):
        if line.startswith("$ "):
            if command:
                yield number, command, output
            number, command, output = at, line[2:], []
        elif command is not None:
            output.append(line)
    if command:
        yield number, command, output


def _is_shell(block, is_program):
    first = next((line for line in block.lines if line.strip() and not line.lstrip().startswith("#")), "").strip()
    if first.startswith("$ "):
        return True
    if re.match(r"[A-Za-z_]\w*=\S", first):
        return True
    return first != "" and is_program(first.split()[0])


def _block_commands(page, block, is_program):
    kinds = {kind: value for _, kind, value in block.markers}
    shell = _is_shell(block, is_program)
    if "text" in kinds:
        if not shell:
            raise PageError(f"{page}:{block.line}: the marker says 'text' of what is taken for text anyway")
        return []
    if not shell:
        if kinds.keys() & {"skip", "run"}:
            raise PageError(f"{page}:{block.line}: a marker for commands, but the block has none")
        return []
    if any(line.startswith("$ ") for line in block.lines):
        lines = [(number, text, output) for number, text, output in _transcript(block)]
    else:
        lines = [(number, text, None) for number, text in _logical_lines(block)]
    commands, assignments = [], ""
    for number, text, output in lines:
        moves = ""
        for part in split_line(text):
            if not program_of(part):
                assignments += part + "; "
            elif part.startswith("cd "):
                moves += part + " && "
            else:
                commands.append(Command(page, number, part, shell_setup=assignments + moves, expected=output,
                                        skip_reason=kinds.get("skip")))
    short = [(number, value) for number, kind, value in block.markers if kind == "run"]
    if short:
        _check_short_forms(page, block, commands, [value for _, value in short])
        for command in commands:
            command.skip_reason = "in a short form"
        for number, value in short:
            commands += [Command(page, number, part) for part in split_line(value)]
    return commands


def options_of(text):
    """Returns the names of the options in a command, without values."""
    return [match[1] for match in re.finditer(r"(?<![\w=/,.:-])(--?[A-Za-z][\w-]*)", text)]


def _check_short_forms(page, block, commands, short):
    whole = " ".join(short)
    for command in commands:
        if re.match(r"bazel |(bench|tests|tools)/", command.text):
            continue  # checked without being run
        if program_of(command.text) not in whole:
            raise PageError(f"{page}:{command.line}: no short form runs {program_of(command.text)}")
        missing = set(options_of(command.text)) - set(options_of(whole))
        if missing:
            raise PageError(f"{page}:{command.line}: no short form has {', '.join(sorted(missing))}")


def inline_code(prose):
    """Yields (line, code) for the code in backquotes."""
    for line, text in prose:
        for match in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
            yield line, match[1].replace("\\|", "|").strip()


@dataclasses.dataclass
class Page:
    commands: list  # in the order of the page, those in sentences last
    options: list  # (line, "-name") of code that begins with an option
    files: dict  # of the names that markers define: ("path", path in the tree) or ("text", contents)


def read_page(page, text, is_program, is_program_in_text=None):
    """Returns the Page of Markdown text. `is_program` says whether a word that begins a line of a code block is a
    program, `is_program_in_text` whether one in a sentence is; by default they are the same."""
    is_program_in_text = is_program_in_text or is_program
    blocks, prose, left = _blocks_and_prose(page, text)
    files, commands = {}, []
    for number, kind, value in left + [marker for block in blocks for marker in block.markers]:
        if kind == "file":
            name, _, path = value.partition(" = ")
            files[name] = ("path", path)
    for number, kind, value in left:
        if kind != "file" or " = " not in value:
            raise PageError(f"{page}:{number}: a marker '{kind}' without a block after it")
    for block in blocks:
        for number, kind, value in block.markers:
            if kind == "file" and " = " not in value:
                files[value] = ("text", "\n".join(block.lines) + "\n")
        commands += _block_commands(page, block, is_program)
    options = []
    for line, code in inline_code(prose):
        words = code.split()
        if len(words) > 1 and is_program_in_text(words[0]):
            commands.append(Command(page, line, code, is_inline=True))
        elif code.startswith("-"):
            options += [(line, name) for name in options_of(code)]
    return Page(commands, options, files)

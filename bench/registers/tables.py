# SPDX-License-Identifier: Apache-2.0

"""Rows and sums as text and as CSV."""

import csv

TOOLS = ("ptxmir", "llc", "nvcc")
_COMMON_COLUMNS = ("file", "kernel", "is_kernel", "sm", "options", "chosen", "budget",
                   "high_pressure")
_TOOL_COLUMNS = ("registers", "spill_stores", "spill_loads", "spill_bytes", "stack", "shared", "barriers", "threads",
                 "warps", "max_warps", "compile_seconds")
_OWN_COLUMNS = ("own_spill_stores", "own_spill_loads", "max_live_input", "max_live", "target", "executed_input",
                "executed")
_SHOWN = (("registers", "registers"), ("spill_bytes", "spill bytes"), ("stack", "stack"), ("warps", "warps"))
_LONGEST_NAME = 44


def write_csv(file, rows):
    """Writes all rows. The columns of a tool that does not have the kernel are empty."""
    variants = dict.fromkeys(name for row in rows for name in row if name.startswith("llc-"))
    tools = [*TOOLS, *variants]
    columns = {tool: _TOOL_COLUMNS + (_OWN_COLUMNS if tool == "ptxmir" else ()) for tool in tools}
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*_COMMON_COLUMNS, *(f"{tool}.{name}" for tool in tools for name in columns[tool]), "steps"])
    for row in rows:
        cells = [row.get(name, "") for name in _COMMON_COLUMNS]
        for tool in tools:
            figures = row.get(tool) or {}
            cells += [figures.get(name, "") for name in columns[tool]]
        steps = (row["ptxmir"] or {}).get("steps", [])
        cells.append(" ".join(f"{step['pass']}:{step['max_live']}" for step in steps))
        writer.writerow(cells)


def _align(lines):
    """Aligns columns: the first to the left, the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines]


def _number(value, digits=3):
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else f"{value:,}"


def _differs(row):
    """Returns true if ptxmir's figures differ from llc's, or if the kernel is under pressure."""
    ours, llc = row["ptxmir"], row.get("llc")
    if row["high_pressure"] or not ours or not llc:
        return True
    return any(ours.get(name) != llc.get(name) for name, _ in _SHOWN)


def kernel_table(rows, which):
    """Returns one line per kernel. `which` is "all", "different" (from llc's, or under pressure) or "none"."""
    if which == "none" or not rows:
        return []
    shown = [row for row in rows if row["is_kernel"] and (which == "all" or _differs(row))]
    if not shown:
        return ["every kernel has llc's figures, and none is under pressure", ""]
    tools = [tool for tool in TOOLS if any(row.get(tool) for row in shown)]
    head = ["kernel", "options", "budget"]
    head += [f"{title} {'/'.join(tools)}" for _, title in _SHOWN] + ["max-live", "target", "seconds"]
    lines = [head]
    for row in shown:
        name = f"{row['file']}:{row['kernel']}"
        line = [name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME - 2] + "..", row["options"], row["budget"]]
        for key, _ in _SHOWN:
            line.append("/".join(_number((row.get(tool) or {}).get(key)) for tool in tools))
        ours = row["ptxmir"] or {}
        live = f"{ours['max_live_input']} -> {ours['max_live']}" if "max_live" in ours else "-"
        line += [live, _number(ours.get("target")), _number(ours.get("compile_seconds"))]
        lines.append(line)
    hidden = sum(row["is_kernel"] for row in rows) - len(shown)
    return _align(lines) + ([f"and {hidden:,} with llc's figures and little pressure"] if hidden else []) + [""]


def _pair_lines(pair):
    lines = []
    for key, title in (("all", "all"), ("high_pressure", "high pressure")):
        figures = pair[key]
        if figures is None:
            continue
        registers, spills, stack, warps = (figures[name] for name in ("registers", "spills", "stack", "occupancy"))
        verdict = lambda part: f"{part['better']}/{part['equal']}/{part['worse']}"
        lines.append([
            f"{pair['ours']} / {pair['theirs']}, {title}", _number(figures["kernels"]), _number(registers["geomean"]),
            verdict(registers), f"{spills['ours']:,} / {spills['theirs']:,}", _number(spills["ratio"]),
            _number(spills["geomean"]), f"{spills['kernels_ours']}/{spills['kernels_theirs']}", verdict(spills),
            f"{stack['ours']:,} / {stack['theirs']:,}", verdict(warps) if any(warps.values()) else "-",
            _number(pair["time"]["ratio"]) if pair["time"] and key == "all" else "",
        ])
    return lines


_PAIR_HEAD = ["", "kernels", "registers", "b/e/w", "spill bytes", "ratio", "geomean", "spilling", "b/e/w", "stack",
              "occupancy", "CPU time"]


def _own_line(own):
    text = f"ptxmir: {own['kernels']:,} functions, {own['registers']:,} registers, {own['spill_bytes']:,} spill bytes"
    text += f" (its own {own['own_spill_bytes']:,}), {own['stack']:,} bytes of stack"
    if own["max_live"] is not None:
        text += f"; max-live {own['max_live_input']:,} -> {own['max_live']:,}, {own['above_target']} above target"
        text += f"; {own['rematerialized']:,} rematerialized"
    if own["executed_ratio"] is not None:
        text += f"; executed {own['executed_ratio']:.3f} of the input's"
    return text


def summary_lines(settings):
    """Returns the sums and ratios of each setting."""
    lines = ["Ratios: ours to theirs; b/e/w: kernels better/equal/worse; spilling: kernels that spill, ours/theirs.",
             ""]
    for setting in settings:
        lines.append(f"== {setting['options']}, budget {setting['budget']}")
        lines.append(_own_line(setting["own"]))
        table = [line for pair in setting["pairs"] for line in _pair_lines(pair)]
        if table:
            lines += _align([_PAIR_HEAD, *table])
        lines.append("")
    return lines


def mark_lines(marks):
    """Returns the figures next to the targets of ptxmir. They come last in the text."""
    if not marks:
        return []
    lines = ["== what is to be reached against llc from the same MIR"]
    table = [["", "options", "value", "asked", "further", ""]]
    for mark in marks:
        table.append([mark["what"], mark["options"], _number(mark["value"]), _number(mark["asked"]),
                      _number(mark["further"]), "reached" if mark["reached"] else "not reached"])
    return lines + _align(table)


def failure_lines(failures):
    """Returns one line per tool, option set and message of a file, with the budgets to which it applies."""
    budgets = {}
    for failure in failures:
        key = (failure["file"], failure["tool"], failure["options"], failure["error"])
        budgets.setdefault(key, []).append(failure["budget"])
    lines = []
    for (file, tool, options, error), of in budgets.items():
        where = f"{options}, " if options else ""
        lines.append(f"{file}: {tool} ({where}{'budget' if len(of) == 1 else 'budgets'} {', '.join(of)}): {error}")
    return ["== failures", *lines, ""] if lines else []

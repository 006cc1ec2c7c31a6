# SPDX-License-Identifier: Apache-2.0

"""The HTML page: one file that contains its styles, script and figures, and needs no network."""

import json
import re

from registers import plots, tables
from registers.plots import escape

_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em auto; max-width: 1100px; padding: 0 1em; color: #222;
  background: #fff; }
pre { background: #f5f5f5; padding: .8em; overflow-x: auto; font-size: 12px; }
svg { max-width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg.scatter { width: 560px; } .off { display: none; }
.grid { stroke: #e8e8e8; } .frame, .diagonal { fill: none; stroke: #888; } .diagonal { stroke-dasharray: 4 3; }
.tick, .block { fill: #777; } .axis-label { fill: #222; font-size: 13px; }
circle.better { fill: #1b9e77aa; } circle.equal { fill: #88888888; } circle.worse { fill: #d7301faa; }
.curve polyline { fill: none; stroke: currentColor; stroke-width: 1.5; } .curve circle.peak { fill: currentColor; }
.peak-label { fill: currentColor; font-weight: bold; } .boundaries { stroke: #0002; fill: none; }
.curve:not(.front) .boundaries, .curve:not(.front) .block { display: none; }
line.budget { stroke: #c00; stroke-dasharray: 6 3; } text.budget { fill: #c00; }
table { border-collapse: collapse; font-size: 12px; margin: .5em 0; } td, th { padding: 1px 8px; text-align: right; }
th { border-bottom: 1px solid #888; } table.sortable th { cursor: pointer; }
tr:nth-child(even) td { background: #f7f7f7; }
td.name, th.name { text-align: left; font-family: monospace; max-width: 30em; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
td.better { color: #1b7e57; } td.worse { color: #c7200f; } summary { cursor: pointer; font-family: monospace; }
details.kernel { border-top: 1px solid #ddd; padding: .3em 0; } label { margin-right: 1em; white-space: nowrap; }
"""

_SCRIPT = """
'use strict';
const root = document.documentElement;
window.onerror = (message) => { root.dataset.errors = (root.dataset.errors || '') + message + ';'; };
const all = (selector, where) => Array.from((where || document).querySelectorAll(selector));
const choice = document.getElementById('view');
function showView() {
  const setting = choice.value.split(':')[0];
  for (const figure of all('svg.scatter')) figure.classList.toggle('off', figure.dataset.view !== choice.value);
  for (const row of all('#kernels tbody tr')) row.classList.toggle('off', row.dataset.setting !== setting);
}
choice.addEventListener('change', showView);
showView();
for (const box of all('.curves input')) {
  box.addEventListener('change', () => {
    const figure = box.closest('.figure');
    let front = null;
    for (const curve of all('g.curve', figure)) {
      const isOn = all('.curves input', figure)[curve.dataset.curve].checked;
      curve.classList.toggle('off', !isOn);
      curve.classList.remove('front');
      if (isOn) front = curve;
    }
    if (front) front.classList.add('front');
  });
}
for (const head of all('table.sortable th')) {
  head.addEventListener('click', () => {
    const body = head.closest('table').tBodies[0];
    const down = head.dataset.down = head.dataset.down === '1' ? '0' : '1';
    const key = (row) => { const text = row.cells[head.cellIndex].textContent; return text === '' ? -1 : +text; };
    const name = (row) => row.cells[head.cellIndex].textContent;
    const isName = head.classList.contains('name');
    const order = (a, b) => isName ? name(a).localeCompare(name(b)) : key(a) - key(b);
    all('tr', body).sort((a, b) => down === '1' && !isName ? order(b, a) : order(a, b)).forEach((r) => body.append(r));
  });
}
function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') { target.open = true; target.scrollIntoView(); }
}
window.addEventListener('hashchange', openTarget);
openTarget();
root.dataset.ready = all('details.kernel').length;
"""

_VERSION = re.compile(r"version|release|\bV\d", re.IGNORECASE)
# A page with more kernels is too large for a browser.
_MOST_KERNELS = 500
_COLUMNS = (("registers", "registers"), ("spill_bytes", "spill bytes"), ("stack", "stack"), ("warps", "warps"))


def make_page(run, settings, marks, versions):
    sections = _kernel_sections(run.reports)
    anchors = {key: f"kernel-{number}" for number, key in enumerate(sections)}
    peers = [peer for peer in ("llc", "nvcc") if any(row.get(peer) for row in run.rows)]
    summary = "\n".join(tables.summary_lines(settings) + tables.mark_lines(marks))
    failures = "\n".join(tables.failure_lines(run.failures))
    return "".join([
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Registers of ptxmir</title>\n<style>',
        _STYLE, "</style></head>\n<body>\n<h1>Registers of ptxmir</h1>\n<p>",
        escape("; ".join(f"{name}: {_version_line(text)}" for name, text in versions.items())),
        "</p>\n", _scatters(run.rows, settings, peers), "<h2>Sums</h2>\n<pre>", escape(summary), "</pre>\n",
        f"<pre>{escape(failures)}</pre>\n" if failures else "", _table(run.rows, settings, peers, anchors),
        "<h2>Pressure</h2>\n<p>Before the first pass (grey) and after the last (blue); tick the passes between them to "
        "see those that changed something. Vertical lines: block boundaries of the last curve shown. Dots: the peaks."
        "</p>\n", *(_section(anchors[key], key, figures) for key, figures in sections.items()),
        "<script>", _SCRIPT, "</script>\n</body>\n</html>\n",
    ])


def _version_line(text):
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in lines if _VERSION.search(line)), lines[0] if lines else "?")


def _setting_name(setting):
    return f"{setting['options']}, budget {setting['budget']}"


def _rows_of(rows, setting):
    return [row for row in rows
            if row["is_kernel"] and (row["options"], row["budget"]) == (setting["options"], setting["budget"])]


def _scatters(rows, settings, peers):
    views = [(f"{number}:{peer}", setting, peer) for peer in peers or ["none"]
             for number, setting in enumerate(settings)]
    options = "".join(f'<option value="{view}">{escape(_setting_name(setting))}, beside {escape(peer)}</option>'
                      for view, setting, peer in views)
    figures = [plots.scatter_figure(_rows_of(rows, setting), peer, view, number == 0)
               for number, (view, setting, peer) in enumerate(views)]
    return (f'<h2>Registers, kernel by kernel</h2>\n<p><select id="view">{options}</select> Circles below the line: '
            "fewer registers than the peer's. Larger circles: more kernels; their names on hover.</p>\n" +
            "\n".join(figures) + "\n")


def _table(rows, settings, peers, anchors):
    tools = ["ptxmir", *peers]
    heads = "".join(f"<th>{escape(title)}, {escape(tool)}</th>" for _, title in _COLUMNS for tool in tools)
    out = ['<h2>Kernels</h2>\n<table class="sortable" id="kernels"><thead><tr><th class="name">file</th>'
           f'<th class="name">kernel</th>{heads}<th>max-live, input</th><th>max-live</th></tr></thead><tbody>\n']
    for number, setting in enumerate(settings):
        for row in _rows_of(rows, setting):
            anchor = anchors.get((row["file"], row["kernel"]))
            name = escape(row["kernel"])
            link = f'<a href="#{anchor}">{name}</a>' if anchor else name
            out.append(f'<tr data-setting="{number}"{"" if number == 0 else " class=off"}>'.replace("=off", '="off"') +
                       f'<td class="name">{escape(row["file"])}</td><td class="name">{link}</td>')
            for key, _ in _COLUMNS:
                out += [_cell(row, tool, key) for tool in tools]
            ours = row["ptxmir"] or {}
            out.append(f'<td>{ours.get("max_live_input", "")}</td><td>{ours.get("max_live", "")}</td></tr>\n')
    out.append("</tbody></table>\n")
    return "".join(out)


def _cell(row, tool, key):
    value = (row.get(tool) or {}).get(key)
    if value is None:
        return "<td></td>"
    reference = (row.get("llc") or {}).get(key)
    kind = ""
    if tool == "ptxmir" and reference is not None and value != reference:
        is_less = value < reference
        kind = ' class="better"' if is_less != (key == "warps") else ' class="worse"'
    return f"<td{kind}>{value}</td>"


def _kernel_sections(reports):
    """Returns {(file, kernel): [[(setting, function)]]} for the kernels with the highest peaks. Settings with the same
    curves share a figure."""
    sections = {}
    for row, function in reports:
        if function.get("curves"):
            figures = sections.setdefault((row["file"], row["kernel"]), {})
            figures.setdefault(json.dumps(function["curves"]), []).append((_setting_name(row), function))
    peaks = {key: _peak(figures.values()) for key, figures in sections.items()}
    shown = set(sorted(sections, key=lambda key: -peaks[key])[:_MOST_KERNELS])
    return {key: list(figures.values()) for key, figures in sections.items() if key in shown}


def _peak(figures):
    return max(max(curve["points"], default=0) for figure in figures for curve in figure[0][1]["curves"])


def _section(anchor, key, figures):
    out = [f'<details class="kernel" id="{anchor}"><summary>{escape(key[0])}: {escape(key[1])}, '
           f"at most {_peak(figures)}</summary>\n"]
    for figure in figures:
        function = figure[0][1]
        curves = plots.distinct_curves(function["curves"])
        boxes = "".join(
            f'<label style="color:{plots.color_of(number, len(curves))}"><input type="checkbox"'
            f'{" checked" if number in (0, len(curves) - 1) else ""}>{escape(curve["pass"])}</label>'
            for number, curve in enumerate(curves))
        budgets = [(name, of.get("budget") or {}) for name, of in figure]
        settings = "<br>".join(escape(name + (": " + budget["text"] if "text" in budget else ""))
                               for name, budget in budgets)
        svg = plots.pressure_figure(key[1], curves, [budget.get("registers", 0) for _, budget in budgets])
        out.append(f'<div class="figure"><p>{settings}</p><div class="curves">{boxes}</div>{svg}'
                   f"{_steps_table(function)}{_live_tables(curves)}</div>\n")
    out.append("</details>\n")
    return "".join(out)


def _steps_table(function):
    rows = "".join(f'<tr><td class="name">{escape(step["pass"])}</td><td>{step["max_live"]}</td>'
                   f'<td>{step.get("max_predicates", "")}</td><td>{step.get("instructions", "")}</td></tr>'
                   for step in function.get("steps", []))
    return ('<table class="steps"><thead><tr><th class="name">after</th><th>max-live</th><th>predicates</th>'
            f"<th>instructions</th></tr></thead><tbody>{rows}</tbody></table>")


def _live_tables(curves):
    """Returns tables of the values live at each curve's peak, except where they equal those of the previous curve."""
    out = []
    before = None
    for curve in curves:
        peak = curve.get("peak")
        if not peak or not peak.get("live"):
            continue
        values = [(value["register"], value["class"]) for value in peak["live"]]
        if values == before:
            continue
        before = values
        rows = "".join(
            f'<tr><td class="name">{escape(value["register"])}</td><td>{escape(value["class"])}</td>'
            f'<td>{value["units"]}</td><td class="name" title="{escape(value["def"])}">{escape(value["def"])}</td>'
            f'<td class="name">{escape(value.get("remedy", ""))}</td></tr>' for value in peak["live"])
        title = (f"{len(values)} values live at the peak of {curve['pass']}: instruction {peak['instruction']}, "
                 f"{plots.peak_place(peak)}: {peak['text']}")
        out.append(f'<details class="live" data-pass="{escape(curve["pass"])}"><summary>{escape(title)}</summary>'
                   '<table><thead><tr><th class="name">register</th><th>class</th><th>registers</th>'
                   '<th class="name">defined by</th><th class="name">what could be done</th></tr></thead>'
                   f"<tbody>{rows}</tbody></table></details>")
    return "".join(out)

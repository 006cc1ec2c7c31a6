# SPDX-License-Identifier: Apache-2.0

"""The figures of the page as inline SVG. They are visible without a script, and a test reads them."""

import html
import math

_WIDTH, _HEIGHT = 960, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 26, 44
# More points than this are thinned: of those that coincide, only the smallest and the largest are drawn.
_MAX_POINTS = 4000
_MAX_BLOCK_LABELS = 30
_MAX_NAMES = 15
_COLORS = ("#888888", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#a6761d", "#66a61e")
_LAST_COLOR = "#0b5fb0"


def escape(text):
    """Escapes text and attributes. Characters that XML does not allow become question marks."""
    return html.escape("".join(c if c in "\t\n" or ord(c) >= 32 else "?" for c in str(text)))


def _compact(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def tick_step(most, wanted=8):
    """Returns 1, 2 or 5 times a power of ten, such that there are about `wanted` steps."""
    rough = max(most / wanted, 1)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough))


class _Plane:
    """Maps values from 0 to the maximum of each axis to positions, and draws the axes."""

    def __init__(self, width, height, most_x, most_y):
        self.width, self.height = width, height
        self.most_x, self.most_y = max(most_x, 1), max(most_y, 1)

    def x(self, value):
        return _LEFT + value / self.most_x * (self.width - _LEFT - _RIGHT)

    def y(self, value):
        return self.height - _BOTTOM - value / self.most_y * (self.height - _TOP - _BOTTOM)

    def point(self, x, y):
        return f"{_compact(self.x(x))},{_compact(self.y(y))}"

    def axes(self, x_label, y_label):
        out = ['<g class="axes">']
        bottom = self.height - _BOTTOM
        for value in range(0, self.most_x + 1, tick_step(self.most_x, 10)):
            out.append(f'<text class="tick" x="{_compact(self.x(value))}" y="{bottom + 16}" text-anchor="middle">'
                       f"{value}</text>")
        for value in range(0, self.most_y + 1, tick_step(self.most_y, 6)):
            y = _compact(self.y(value))
            out.append(f'<line class="grid" x1="{_LEFT}" x2="{self.width - _RIGHT}" y1="{y}" y2="{y}"/>'
                       f'<text class="tick" x="{_LEFT - 6}" y="{y}" dy="4" text-anchor="end">{value}</text>')
        middle = (bottom + _TOP) / 2
        out.append(f'<path class="frame" d="M{_LEFT} {_TOP}V{bottom}H{self.width - _RIGHT}"/>'
                   f'<text class="axis-label x" x="{(self.width + _LEFT) / 2:.0f}" y="{self.height - 8}" '
                   f'text-anchor="middle">{escape(x_label)}</text>'
                   f'<text class="axis-label y" transform="translate(14 {middle:.0f}) rotate(-90)" '
                   f'text-anchor="middle">{escape(y_label)}</text></g>')
        return "".join(out)


def thin(points):
    """Returns (position, value) of the points that are drawn."""
    numbered = list(enumerate(points))
    if len(points) <= _MAX_POINTS:
        return numbered
    size = math.ceil(len(points) / (_MAX_POINTS // 2))
    kept = []
    for begin in range(0, len(points), size):
        part = numbered[begin:begin + size]
        ends = {min(part, key=lambda point: point[1]), max(part, key=lambda point: point[1])}
        kept += sorted(ends)
    return kept


def color_of(index, count):
    return _LAST_COLOR if index == count - 1 and index else _COLORS[index % len(_COLORS)]


def peak_place(peak):
    """Returns the block of a peak, and its source line if that is known."""
    return f"bb.{peak['block']}" + (f", {peak['location']}" if peak.get("location") else "")


def _curve(plane, curve, index, count):
    points = curve["points"]
    place = f'class="curve{" front" if index == count - 1 else ""}{"" if index in (0, count - 1) else " off"}"'
    color = color_of(index, count)
    out = [f'<g {place} data-curve="{index}" data-pass="{escape(curve["pass"])}" style="color:{color}">']
    boundaries = "".join(f"M{_compact(plane.x(block['first']))} {_TOP}V{plane.height - _BOTTOM}"
                         for block in curve["blocks"])
    out.append(f'<path class="boundaries" data-blocks="{len(curve["blocks"])}" d="{boundaries or "M0 0"}"/>')
    if len(curve["blocks"]) <= _MAX_BLOCK_LABELS:
        for block in curve["blocks"]:
            out.append(f'<text class="block" x="{_compact(plane.x(block["first"]) + 2)}" y="{_TOP + 10}">'
                       f'bb.{block["number"]}</text>')
    out.append(f'<polyline points="{" ".join(plane.point(x, y) for x, y in thin(points))}"/>')
    peak = curve.get("peak")
    if peak and 0 <= peak["instruction"] < len(points):
        at = peak["instruction"]
        x, y = plane.x(at), plane.y(points[at])
        anchor = "end" if x > plane.width * 0.8 else "start"
        out.append(f'<circle class="peak" cx="{_compact(x)}" cy="{_compact(y)}" r="4" data-instruction="{at}" '
                   f'data-value="{points[at]}"><title>{escape(curve["pass"])}: {points[at]} at instruction {at}, '
                   f'{escape(peak_place(peak))}: {escape(peak["text"])}</title></circle>'
                   f'<text class="peak-label" x="{_compact(x)}" y="{_compact(y - 8)}" text-anchor="{anchor}">'
                   f"{points[at]}</text>")
    out.append("</g>")
    return "".join(out)


def distinct_curves(curves):
    """Returns the first, the last, and each curve in between that differs from its predecessor and from the last."""
    kept = curves[:1]
    for curve in curves[1:-1]:
        if curve["points"] not in (kept[-1]["points"], curves[-1]["points"]):
            kept.append(curve)
    return kept + curves[1:][-1:]


def pressure_figure(name, curves, budgets):
    """Draws pressure over instructions: a curve for the input and for each pass that changed it, and the budgets."""
    most_y = max([max(curve["points"], default=0) for curve in curves] + [1])
    # A budget far above all points would only flatten the curves.
    budgets = [budget for budget in sorted(set(budgets)) if 0 < budget <= 2 * most_y]
    plane = _Plane(_WIDTH, _HEIGHT, max(len(curve["points"]) for curve in curves), max([most_y, *budgets]) + 2)
    out = [f'<svg class="pressure" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
           f'aria-label="register pressure of {escape(name)}">',
           plane.axes("instruction", "32-bit registers live")]
    out += [_curve(plane, curve, index, len(curves)) for index, curve in enumerate(curves)]
    for budget in budgets:
        y = _compact(plane.y(budget))
        out.append(f'<line class="budget" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>'
                   f'<text class="budget" x="{_WIDTH - _RIGHT}" y="{y}" dy="-4" text-anchor="end">'
                   f"budget {budget}</text>")
    out.append("</svg>")
    return "".join(out)


def scatter_figure(rows, peer, view, is_shown):
    """Draws registers of ptxmir over those of a peer, with one circle for all kernels with the same pair of figures."""
    places = {}
    for row in rows:
        ours, theirs = row["ptxmir"], row.get(peer)
        if ours and theirs and ours.get("registers") and theirs.get("registers"):
            places.setdefault((theirs["registers"], ours["registers"]), []).append(f"{row['file']}: {row['kernel']}")
    most = max([max(place) for place in places] + [8]) + 4
    size = 560
    plane = _Plane(size, size, most, most)
    out = [f'<svg class="scatter{"" if is_shown else " off"}" xmlns="http://www.w3.org/2000/svg" '
           f'viewBox="0 0 {size} {size}" data-view="{escape(view)}" role="img" '
           f'aria-label="registers of ptxmir over {escape(peer)}">',
           plane.axes(f"registers, {peer}", "registers, ptxmir"),
           f'<path class="diagonal" d="M{plane.point(0, 0)} L{plane.point(most, most)}"/>']
    for (x, y), names in sorted(places.items()):
        kind = "better" if y < x else "worse" if y > x else "equal"
        shown = names[:_MAX_NAMES] + ([f"and {len(names) - _MAX_NAMES} more"] if len(names) > _MAX_NAMES else [])
        listed = "\n".join(shown)
        out.append(f'<circle class="{kind}" cx="{_compact(plane.x(x))}" cy="{_compact(plane.y(y))}" '
                   f'r="{_compact(2.5 + math.sqrt(len(names)))}" data-x="{x}" data-y="{y}" data-kernels="{len(names)}">'
                   f"<title>{escape(peer)} {x}, ptxmir {y}\n{escape(listed)}</title></circle>")
    out.append("</svg>")
    return "".join(out)

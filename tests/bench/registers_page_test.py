# SPDX-License-Identifier: Apache-2.0

"""The page of bench/registers.py: what it draws, and that a browser shows it without an error."""

import html.parser
import json
import os
import re
import unittest
import xml.etree.ElementTree

import browser
import fake_tools
import python_test
from fake_tools import mir
from registers import page, plots
from registers.harness import Run

_HERE = os.path.dirname(os.path.abspath(__file__))
_SVG = "{http://www.w3.org/2000/svg}"


def _report():
    with open(os.path.join(_HERE, "pressure_report.json"), encoding="utf-8") as file:
        return json.load(file)["functions"][0]


def _row(budget, ours, llc, kernel="k"):
    figures = lambda registers: {"registers": registers, "spill_bytes": 0, "stack": 0}
    return {"file": "a<b", "kernel": kernel, "sm": "sm_80", "options": "O2", "budget": budget, "is_kernel": True,
            "high_pressure": False, "ptxmir": figures(ours), "llc": figures(llc)}


def _page():
    rows = [_row("default", 20, 20), _row("default", 20, 20, "l"), _row("default", 18, 20, "m"), _row("32", 24, 22)]
    settings = [{"options": "O2", "budget": budget, "pairs": [], "own": {
        "kernels": 1, "registers": 20, "spill_bytes": 0, "own_spill_bytes": 0, "stack": 0, "max_live": None,
        "executed_ratio": None}} for budget in ("default", "32")]
    reports = [(rows[0], _report()), (rows[3], _report())]
    failures = [{"file": "f", "tool": "llc", "options": "", "budget": "32", "error": "<script>fail()</script>"}]
    return page.make_page(Run(rows, failures, {}, reports, {}), settings, [], {"ptxas": "ptxas\nV13"})


class _Elements(html.parser.HTMLParser):
    """Elements of a page: (name, attributes, the text in it)."""
    _EMPTY = ("meta", "input", "br")

    def __init__(self, text):
        super().__init__()
        self.found = []
        self._open = []
        self.feed(text)
        if self._open:
            raise AssertionError(f"not closed: {[element[0] for element in self._open]}")

    def handle_starttag(self, tag, attrs):
        element = [tag, dict(attrs), ""]
        self.found.append(element)
        if tag not in self._EMPTY:
            self._open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.found.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        element = self._open.pop()
        if element[0] != tag:
            raise AssertionError(f"<{element[0]}> is closed by </{tag}>")

    def handle_data(self, data):
        for element in self._open:
            element[2] += data

    def all(self, tag, **wanted):
        return [element for element in self.found
                if element[0] == tag and all(element[1].get(name) == value for name, value in wanted.items())]


class PressureFigureTest(unittest.TestCase):
    def setUp(self):
        self.report = _report()
        self.svg = xml.etree.ElementTree.fromstring(plots.pressure_figure("k", self.report["curves"], [8, 0, 8, 900]))
        self.curves = [group for group in self.svg.iter(_SVG + "g") if "curve" in group.get("class").split()]

    def test_has_a_curve_for_each_pass_with_a_point_for_each_instruction(self):
        self.assertEqual([curve.get("data-pass") for curve in self.curves],
                         ["input", "phi-node-elimination", "nvptx-remat-block"])
        for curve, reported in zip(self.curves, self.report["curves"]):
            texts = curve.find(_SVG + "polyline").get("points").split()
            points = [tuple(map(float, text.split(","))) for text in texts]
            self.assertEqual(len(points), len(reported["points"]))
            # To the right as instructions go, and higher where more is live.
            for i in range(1, len(points)):
                self.assertGreater(points[i][0], points[i - 1][0])
                change = reported["points"][i] - reported["points"][i - 1]
                self.assertEqual((points[i][1] < points[i - 1][1]) - (points[i][1] > points[i - 1][1]),
                                 (change > 0) - (change < 0))

    def test_shows_the_first_and_the_last(self):
        self.assertEqual(["off" in curve.get("class").split() for curve in self.curves], [False, True, False])
        self.assertEqual(["front" in curve.get("class").split() for curve in self.curves], [False, False, True])

    def test_marks_the_peaks(self):
        for curve, reported in zip(self.curves, self.report["curves"]):
            [peak] = [circle for circle in curve.iter(_SVG + "circle") if circle.get("class") == "peak"]
            self.assertEqual(int(peak.get("data-value")), max(reported["points"]))
            at = int(peak.get("data-instruction"))
            self.assertEqual(at, reported["peak"]["instruction"])
            point = curve.find(_SVG + "polyline").get("points").split()[at]
            self.assertEqual(f"{peak.get('cx')},{peak.get('cy')}", point)
            self.assertIn(reported["peak"]["text"], peak.find(_SVG + "title").text)

    def test_labels_the_axes(self):
        labels = [text.text for text in self.svg.iter(_SVG + "text") if "axis-label" in text.get("class")]
        self.assertEqual(labels, ["instruction", "32-bit registers live"])
        ticks = [text.text for text in self.svg.iter(_SVG + "text") if text.get("class") == "tick"]
        self.assertIn("8", ticks)

    def test_draws_block_boundaries_and_the_budget(self):
        for curve, reported in zip(self.curves, self.report["curves"]):
            boundaries = curve.find(_SVG + "path")
            self.assertEqual(boundaries.get("d").count("M"), len(reported["blocks"]))
            names = [text.text for text in curve.iter(_SVG + "text") if text.get("class") == "block"]
            self.assertEqual(names, [f"bb.{block['number']}" for block in reported["blocks"]])
        [budget] = [text.text for text in self.svg.iter(_SVG + "text") if text.get("class") == "budget"]
        self.assertEqual(budget, "budget 8")

    def test_thins_long_curves_but_keeps_extremes(self):
        points = [5] * 100000
        points[77777], points[33333] = 200, 0
        kept = plots.thin(points)
        self.assertLess(len(kept), 5000)
        self.assertIn((77777, 200), kept)
        self.assertIn((33333, 0), kept)
        self.assertEqual(kept, sorted(kept))
        self.assertEqual(plots.thin([3, 1, 2]), [(0, 3), (1, 1), (2, 2)])

    def test_takes_functions_that_have_nothing(self):
        empty = [{"pass": "input", "points": [], "blocks": []}]
        xml.etree.ElementTree.fromstring(plots.pressure_figure("e", empty, [0]))

    def test_draws_no_curve_twice(self):
        curves = [{"pass": name, "points": points} for name, points in
                  (("input", [1]), ("a", [1]), ("b", [2]), ("c", [2]), ("d", [3]), ("last", [3]))]
        self.assertEqual([curve["pass"] for curve in plots.distinct_curves(curves)], ["input", "b", "last"])
        self.assertEqual([curve["pass"] for curve in plots.distinct_curves(curves[:2])], ["input", "a"])
        self.assertEqual(plots.distinct_curves(curves[:1]), curves[:1])


class ScatterTest(unittest.TestCase):
    def test_has_a_circle_for_each_pair_of_figures(self):
        rows = [_row("default", 20, 20), _row("default", 20, 20, "l&m"), _row("default", 18, 20, "better"),
                _row("default", 30, 20, "worse")]
        svg = xml.etree.ElementTree.fromstring(plots.scatter_figure(rows, "llc", "0:llc", True))
        circles = {circle.get("class"): circle for circle in svg.iter(_SVG + "circle")}
        self.assertEqual(set(circles), {"better", "equal", "worse"})
        self.assertEqual(circles["equal"].get("data-kernels"), "2")
        self.assertIn("a<b: l&m", circles["equal"].find(_SVG + "title").text)
        self.assertEqual(circles["worse"].get("data-y"), "30")
        labels = [text.text for text in svg.iter(_SVG + "text") if "axis-label" in text.get("class")]
        self.assertEqual(labels, ["registers, llc", "registers, ptxmir"])


class PageTest(unittest.TestCase):
    def setUp(self):
        self.text = _page()
        self.elements = _Elements(self.text)

    def test_stands_alone(self):
        for element in self.elements.found:
            for name in ("src", "href"):
                self.assertTrue(element[1].get(name, "#").startswith("#"), element)
        self.assertNotIn("@import", self.text)
        self.assertEqual(len(self.elements.all("script")), 1, "a name became a script")

    def test_lists_the_values_live_at_the_peak(self):
        lists = {element[1]["data-pass"]: element for element in self.elements.all("details", **{"class": "live"})}
        self.assertEqual(list(lists), ["input", "phi-node-elimination", "nvptx-remat-block"])
        for words in ("%1", "b64", "LD_i64 0, 0, 101", "rematerializable, cost 1", "%4:b32 = <PHI>", "bb.1, k.cu:12:3"):
            self.assertIn(words, lists["input"][2])
        self.assertNotIn("%1:b64", lists["nvptx-remat-block"][2])

    def test_shares_a_figure_between_settings_of_the_same_curves(self):
        self.assertEqual(len(self.elements.all("svg", **{"class": "pressure"})), 1)
        self.assertIn("O2, budget default: 8 registers: -maxreg<br>O2, budget 32: 8 registers: -maxreg", self.text)

    def test_has_a_scatter_for_each_setting(self):
        views = [element[1]["data-view"] for element in self.elements.found if "data-view" in element[1]]
        self.assertEqual(views, ["0:llc", "1:llc"])
        options = [element[1]["value"] for element in self.elements.all("option")]
        self.assertEqual(options, views)

    def test_lists_kernels_with_links_to_their_plots(self):
        links = [element[1]["href"] for element in self.elements.all("a")]
        self.assertEqual(links, ["#kernel-0"] * 2)
        self.assertTrue(self.elements.all("details", id="kernel-0"))
        self.assertEqual(sum("data-setting" in element[1] for element in self.elements.found), 4)


class BrowserTest(fake_tools.FakeToolsTest):
    def dump(self, path):
        """Returns what a browser makes of the page, and the errors that it reports."""
        if browser.find() is None:
            self.skipTest("there is no Chromium")
        with browser.Browser() as window:
            window.open(path)
            return window.evaluate("document.documentElement.outerHTML"), window.errors

    def test_opens_without_errors(self):
        self.write("page.html", _page())
        dom, errors = self.dump(self.path("page.html"))
        root = re.search(r"<html[^>]*>", dom).group(0)
        self.assertIn('data-ready="1"', root, errors)
        self.assertNotIn("data-errors", root)
        self.assertEqual(errors, [])
        # The script has run: only rows of the first setting show.
        self.assertEqual(len(re.findall(r'<tr data-setting="0"(?: class="")?>', dom)), 3)
        self.assertEqual(len(re.findall(r'<tr data-setting="1" class="off">', dom)), 1)

    def test_an_error_is_seen(self):
        self.write("page.html", _page().replace("function showView() {", "function showView() { absent();", 1))
        dom, _ = self.dump(self.path("page.html"))
        root = re.search(r"<html[^>]*>", dom).group(0)
        self.assertNotIn("data-ready", root)
        self.assertIn("data-errors", root)

    def test_opens_the_page_of_a_run(self):
        self.write("inputs/a.mir", mir(("one", 30), ("two", 60)))
        self.write("inputs/a.cu", "kernel one 30\nkernel two 60\n")
        status, _, error = self.harness("--budgets=default,32", "--html=" + self.path("page.html"))
        self.assertEqual(status, 0, error)
        elements = _Elements(self.read("page.html"))
        self.assertEqual(len(elements.all("svg", **{"class": "pressure"})), 2)
        dom, errors = self.dump(self.path("page.html"))
        self.assertIn('data-ready="2"', re.search(r"<html[^>]*>", dom).group(0), errors)
        self.assertEqual(errors, [])


if __name__ == "__main__":
    python_test.main()

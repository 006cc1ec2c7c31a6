# SPDX-License-Identifier: Apache-2.0

"""bench/performance_page.py: the page is what is made from the recorded results, and how results become tables."""

import datetime
import os
import tempfile
import unittest

import python_test
from performance import commands, page, sections

_RESULTS = "bench/performance/results"


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class PageTest(unittest.TestCase):
    def test_page_is_made_from_the_recorded_results(self):
        text = _read("docs/performance.md")
        self.assertEqual(page.render(text, sections.SECTIONS, _RESULTS), text, "run bench/performance_page.py")

    def test_records_have_their_date(self):
        names = sorted(name.removesuffix(".json") for name in os.listdir(_RESULTS))
        self.assertEqual(names, sorted(sections.SECTIONS))
        for name in names:
            record = page.read_record(_RESULTS, name)
            self.assertEqual(sorted(record), ["date", "note", "results"])
            datetime.date.fromisoformat(record["date"])

    def test_a_changed_figure_changes_the_page(self):
        text = _read("docs/performance.md")
        with tempfile.TemporaryDirectory() as folder:
            for name in sections.SECTIONS:
                page.write_record(folder, name, page.read_record(_RESULTS, name))
            self.assertEqual(page.render(text, sections.SECTIONS, folder), text)
            page.write_record(folder, "threads", {"date": "2027-02-03", "note": "", "results": {"-O0": [3.0, 2.0]}})
            changed = page.render(text, sections.SECTIONS, folder)
        self.assertIn("Measured on February 3, 2027.\n\n| options | -j1 | -j2 | speed-up |\n|---|---|---|---|\n"
                      "| -O0 | 3.000 s | 2.000 s | 1.50 |\n\n<!-- end -->", changed)
        self.assertEqual(changed.replace("February 3, 2027", "").count("\n## "), text.count("\n## "))

    def test_a_section_without_a_block_is_an_error(self):
        text = _read("docs/performance.md").replace("<!-- performance_page: threads -->", "")
        with self.assertRaisesRegex(ValueError, "threads"):
            page.render(text, sections.SECTIONS, _RESULTS)


class ResultsTest(unittest.TestCase):
    def test_option_sets_come_from_the_source(self):
        sets = dict(commands.option_sets_of_autotune("."))
        self.assertEqual(sets["default"], "")
        self.assertEqual(sets["no-merge"], "-induction-merge=false")
        self.assertTrue(sets["as-llc"].endswith("-disable-postra-machine-sink -machine-latecleanup=false"), sets["as-llc"])
        self.assertNotIn("//", "".join(sets))

    def test_statistics_are_found_by_their_label(self):
        text = "  12 greedy               - registers spilled\n   7 greedy - reloads inserted\n"
        self.assertEqual(commands.numbers_after(text, "reloads inserted", "registers spilled"), [7, 12])

    def test_worse_is_fewer_warps_or_more_spills_at_as_many(self):
        def row(file, warps, spills, llc_warps, llc_spills):
            return {"file": file, "kernel": "K", "options": "O2", "ptxmir.warps": warps, "ptxmir.spill_bytes": spills,
                    "llc.warps": llc_warps, "llc.spill_bytes": llc_spills}
        rows = [row("a", "8", "0", "16", "0"), row("a", "8", "4", "8", "0"), row("b", "8", "0", "8", "4"),
                row("c", "16", "4", "8", "0"), row("d", "", "0", "8", "0")]
        self.assertEqual(sections._worse_than_llc(rows, "O2"), [2, 1])
        self.assertEqual(sections._worse_than_llc(rows, "best"), [0, 0])

    def test_summary_is_sorted_by_options_and_budget(self):
        high = {"registers": {"geomean": 0.9}, "spills": {"ratio": 0.8, "geomean": 0.7}}
        pair = {"ours": "ptxmir", "theirs": "llc", "all": {}, "high_pressure": high, "time": None}
        summary = [{"options": "set0", "budget": budget, "pairs": [pair]} for budget in ("default", "32")]
        budgets = sections._by_options_and_budget(summary)["set0"]
        self.assertEqual(sections._figures_to_llc(budgets), {"default": [0.9], "32": [0.8, 0.7]})


if __name__ == "__main__":
    python_test.main()

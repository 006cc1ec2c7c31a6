# SPDX-License-Identifier: Apache-2.0

"""The page of -explore in a browser: it opens without errors, clicks do what they promise, and names are only text."""

import os
import subprocess
import tempfile
import unittest

import browser
import python_test

_PTXMIR = "tools/ptxmir"
_VIEWS = ("pipeline", "pressure", "flow", "ranges", "ptxas", "schedule", "remarks")
_NAME = "</script><img src=x onerror=alert(1)><!--"
_HOSTILE = f"""
target triple = "nvptx64-nvidia-cuda"

define linkonce_odr ptx_kernel void @"{_NAME}"(ptr addrspace(1) %"<b>p</b>", i32 %n) !dbg !4 {{
"<script>alert(2)</script>":
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %exit, !dbg !6
loop:
  %i = phi i32 [ 0, %"<script>alert(2)</script>" ], [ %next, %loop ]
  %e = zext nneg i32 %i to i64
  %q = getelementptr i32, ptr addrspace(1) %"<b>p</b>", i64 %e
  %v = load i32, ptr addrspace(1) %q, !dbg !6
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %q, !dbg !6
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}

!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!2, !3}}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "<i>.cu", directory: "/")
!2 = !{{i32 2, !"Debug Info Version", i32 3}}
!3 = !{{i32 2, !"Dwarf Version", i32 2}}
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{{}})
!6 = !DILocation(line: 2, column: 1, scope: !4)
"""


def _make_page(folder, path, *options):
    page = os.path.join(folder, "page.html")
    subprocess.run([_PTXMIR, f"-explore={page}", "-explore-peers=false", "-mcpu=sm_80", *options, path, "-o",
                    os.path.join(folder, "k.ptx")], check=True, stdin=subprocess.DEVNULL)
    return page


@unittest.skipIf(browser.find() is None, "there is no Chromium")
class ExplorePageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.browser = browser.Browser()
        self.browser.__enter__()
        self.addCleanup(self.browser.__exit__, None, None, None)

    def _text(self, selector):
        return self.browser.evaluate(f"document.querySelector('{selector}').textContent")

    def _count(self, selector):
        return self.browser.evaluate(f"document.querySelectorAll('{selector}').length")

    def _go(self, state):
        self.browser.evaluate(f"Explore.page.go({state})")
        self.browser.settle()

    def test_every_view_opens_without_errors(self):
        page = _make_page(self.folder, "tests/corpus/nbody.mir", "-explore-with=-O0")
        self.assertLess(self.browser.open(page), 10)
        for view in _VIEWS:
            self.browser.click(f"[data-view={view}]")
            self.assertGreater(len(self._text("main")), 20, view)
            self.assertEqual(self.browser.evaluate("new URLSearchParams(location.hash.slice(1)).get('view')"), view)
        self.assertEqual(self.browser.errors, [])

    def test_a_register_is_followed_through_all_stages(self):
        self.browser.open(_make_page(self.folder, "tests/corpus/nbody.mir"), "mode=all&stage=3")
        self.browser.click('.code [data-key^="mir:"]')
        self.assertEqual(self._count(".picks .pick"), 1)
        columns = self.browser.evaluate("[...document.querySelectorAll('.code')]"
                                        ".filter((code) => code.querySelector('.text .pick')).length")
        self.assertGreater(columns, 1)
        self.browser.press("Escape")
        self.assertEqual(self._count(".text .pick"), 0)
        self.assertEqual(self.browser.errors, [])

    def test_an_instruction_is_followed_from_ir_to_ptx_and_back(self):
        path = os.path.join(self.folder, "k.ll")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_HOSTILE)
        self.browser.open(_make_page(self.folder, path), "mode=all")
        texts_of = """(stage) => [...(Explore.highlight.picks[0].lines.get(stage) || [])].map((line) => stage.text(line))"""
        pick = """(kind, text) => {
          Explore.highlight.clear();
          const stage = Explore.page.kernel().stages.filter((s) => s.kind === kind).at(kind === 'mir' ? 0 : -1);
          const line = stage.code.findIndex((_, at) => stage.text(at).includes(text));
          Explore.highlight.toggleInstruction(stage, line, null);
          return Explore.page.kernel().stages.map((s) => [s.kind, (%s)(s)]);
        }""" % texts_of
        expected = {"ir": "= load i32", "dag": " load<", "mir": "LD_i32", "ptx": "ld.global.b32"}
        for kind, text in expected.items():
            if kind in ("dag", "mir"):
                text = "(load (s32)"  # parameters are loaded, too
            followed = self.browser.evaluate(f"({pick})('{kind}', '{text}')")
            for other, lines in followed:
                wanted = (expected[other],) if other != "dag" else (" load<", "LD_i32")
                self.assertTrue(any(one in line for one in wanted for line in lines), (kind, other, lines))
        self.assertEqual(self.browser.errors, [])

    def test_arrow_keys_go_through_the_stages(self):
        self.browser.open(_make_page(self.folder, "tests/corpus/nbody.mir"), "stage=2")
        self.browser.press("ArrowRight")
        self.assertEqual(self.browser.evaluate("Explore.page.state.stage"), "3")
        self.browser.press("ArrowLeft")
        self.assertEqual(self.browser.evaluate("Explore.page.state.stage"), "2")

    def test_a_click_on_the_peak_lists_what_is_live(self):
        self.browser.open(_make_page(self.folder, "tests/corpus/nbody.mir"), "view=pressure")
        self.browser.click(".chart .peak circle")
        live = self.browser.evaluate("Explore.page.kernel().machineStages().at(-1).peak.live.length")
        self.assertGreater(live, 5)
        self.assertEqual(self._count(".peak-table tbody tr"), live)
        self.browser.click(".peak-table tbody tr:nth-child(2) td:nth-child(4) button")
        self.assertIn("=", self._text(".row.selected .text"))
        self.assertEqual(self.browser.errors, [])

    def test_a_click_on_a_block_selects_its_code(self):
        self.browser.open(_make_page(self.folder, "tests/corpus/nbody.mir"), "view=flow")
        blocks = self._count(".block-node")
        self.assertEqual(blocks, self.browser.evaluate("Explore.page.kernel().machineStages().at(-1).blocks"))
        self.browser.click('.block-node[data-block="0"]')
        self.assertGreater(self._count(".row.selected"), 0)
        self.assertEqual(self.browser.errors, [])

    def test_a_pipelined_loop_has_its_table(self):
        self.browser.open(_make_page(self.folder, "tests/corpus/reduce.mir", "-enable-pipeliner"))
        self._go("{view:'schedule',function:Explore.page.version().kernels.find((k) => k.schedules.length > 0).name}")
        instructions = self.browser.evaluate("Explore.page.kernel().schedules[0].instructions.length")
        self.assertGreater(instructions, 2)
        self.assertEqual(self._count(".op"), instructions)
        self.assertEqual(self.browser.errors, [])

    def test_names_are_text_and_nothing_else(self):
        path = os.path.join(self.folder, "<k>.ll")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_HOSTILE)
        with open(os.path.join(self.folder, "<i>.cu"), "w", encoding="utf-8") as file:
            file.write("</script><script>alert(3)</script>\n<img src=x onerror=alert(4)>\n")
        page = _make_page(self.folder, path, "-explore-with=-O1")
        self.browser.open(page)
        for view in _VIEWS:
            for more in ("", "mode:'all'", "below:'heat'", "mode:'versions'"):
                self._go("{view:'%s',mode:'',%s}" % (view, more))
                self.assertEqual(self._count("main img, main script, header img, header script, main b, main i"), 0)
        self.assertEqual(self.browser.evaluate("Explore.page.kernel().name"), _NAME)
        self._go("{view:'pressure',below:'heat'}")
        self.assertIn("<img src=x onerror=alert(4)>", self._text("main"))
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 2)
        self.assertEqual(self.browser.errors, [])


if __name__ == "__main__":
    python_test.main()

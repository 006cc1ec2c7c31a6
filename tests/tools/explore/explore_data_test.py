# SPDX-License-Identifier: Apache-2.0

"""The data of -explore: they describe the code that is written, and agree with themselves and with other reports."""

import glob
import json
import os
import re
import subprocess
import tempfile
import unittest

import python_test

_PTXMIR = "tools/ptxmir"
_CORPUS = sorted(glob.glob("tests/corpus/*.mir"))
_EXAMPLE = "tests/corpus/nbody.mir"
_IR = """
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @sum(ptr addrspace(1) %p, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %exit
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi i32 [ 0, %entry ], [ %b, %loop ]
  %e = zext nneg i32 %i to i64
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %e
  %v = load i32, ptr addrspace(1) %q
  %b = add i32 %a, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %s = phi i32 [ 0, %entry ], [ %b, %loop ]
  store i32 %s, ptr addrspace(1) %p
  ret void
}
"""


def _run(*arguments):
    return subprocess.run([_PTXMIR, "-explore-peers=false", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)


def _explore(path, *options):
    """The data about a file, and the PTX."""
    with tempfile.TemporaryDirectory() as folder:
        data, ptx = os.path.join(folder, "data.json"), os.path.join(folder, "k.ptx")
        result = _run(f"-explore-json={data}", *options, path, "-o", ptx)
        if result.returncode != 0:
            raise AssertionError(result.stderr)
        with open(data, encoding="utf-8") as file, open(ptx, encoding="utf-8") as output:
            return json.load(file), output.read()


def _lines(function, stage):
    return [function["texts"][number] for number in stage["code"]]


class ExploreDataTest(unittest.TestCase):
    def _check_stage(self, function, stage):
        lines = _lines(function, stage)
        for pressure in stage["pressure"]:
            self.assertGreaterEqual(pressure, -1)
        self.assertEqual(len(stage["pressure"]), len(lines))
        self.assertLessEqual(max(stage["pressure"], default=0), stage["max_live"])
        numbers = {block["number"] for block in stage["graph"]["blocks"]}
        self.assertEqual(len(numbers), stage["blocks"])
        for block in stage["graph"]["blocks"]:
            self.assertTrue(lines[block["first"]].startswith(f"bb.{block['number']}"), lines[block["first"]])
            self.assertLess(block["first"], block["end"])
            for successor in block["successors"]:
                self.assertIn(successor["to"], numbers)
            if block["successors"]:
                self.assertAlmostEqual(sum(s["probability"] for s in block["successors"]), 1, places=3)
        for loop in stage["graph"]["loops"]:
            self.assertIn(loop["header"], loop["blocks"])
            self.assertLessEqual(set(loop["blocks"]), numbers)
        for value in stage["peak"]["live"]:
            if value["first"] >= 0:
                self.assertRegex(lines[value["first"]], re.escape(value["register"]) + r"\b")

    def _check_ranges(self, function, stage):
        """The registers that the ranges hold at an instruction are as many as the pressure says."""
        size = len(stage["code"])
        before, after = [0] * size, [0] * size
        for live in stage.get("ranges", []):
            for first, end in live["segments"]:
                self.assertTrue(0 <= first < end <= size)
                for line in range(first, end):
                    before[line] += live["units"] if line > first else 0
                    # A result that nobody reads takes a register at its definition.
                    after[line] += live["units"] if line + 1 < end or end == first + 1 else 0
        lines = _lines(function, stage)
        for line, pressure in enumerate(stage["pressure"]):
            # Inline assembly may write a result before it has read everything.
            if pressure >= 0 and "INLINEASM" not in lines[line]:
                self.assertEqual(max(before[line], after[line]), pressure, f"{function['name']}: {lines[line]}")

    def test_every_kernel_of_the_corpus_is_described(self):
        self.assertGreater(len(_CORPUS), 50)
        for path in _CORPUS:
            with self.subTest(path):
                data, ptx = _explore(path)
                for function in data["versions"][0]["functions"]:
                    stages = function["stages"]
                    machine = [stage for stage in stages if stage["kind"] == "mir"]
                    for stage in machine:
                        self._check_stage(function, stage)
                    if machine[-1]["name"] != "input":
                        self._check_ranges(function, machine[-1])
                    self.assertEqual(stages[-1]["kind"], "ptx")
                    self.assertIn("\n".join(_lines(function, stages[-1])), ptx)

    def test_pages_of_the_corpus_are_below_five_megabytes(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            for path in _CORPUS:
                result = _run(f"-explore={page}", path, "-o", "/dev/null")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertLess(os.path.getsize(page), 5_000_000, path)

    def test_the_ptx_is_as_without_a_page(self):
        self.assertEqual(_explore(_EXAMPLE)[1], _run(_EXAMPLE, "-o", "-").stdout)

    def test_the_pressure_is_that_of_the_pressure_report(self):
        report = json.loads(_run("-pressure-report=-", _EXAMPLE, "-o", "/dev/null").stdout)
        for function, reported in zip(_explore(_EXAMPLE)[0]["versions"][0]["functions"], report["functions"]):
            machine = [stage for stage in function["stages"] if stage["kind"] == "mir"]
            self.assertEqual([stage["name"] for stage in machine], [curve["pass"] for curve in reported["curves"]])
            for stage, curve in zip(machine, reported["curves"]):
                self.assertEqual([pressure for pressure in stage["pressure"] if pressure >= 0], curve["points"])

    def test_the_counts_by_block_are_those_of_the_whole_kernel(self):
        report = json.loads(_run("-pressure-report=-", "-count-executed", _EXAMPLE, "-o", "/dev/null").stdout)
        data = _explore(_EXAMPLE, "-count-executed")[0]
        for function, reported in zip(data["versions"][0]["functions"], report["functions"]):
            last = [stage for stage in function["stages"] if stage["kind"] == "mir"][-1]
            self.assertEqual(sum(block["executed"] for block in last["graph"]["blocks"]), reported["executed"]["final"])
            self.assertGreater(reported["executed"]["final"], 0)

    def test_ir_goes_through_all_kinds_of_stages(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.ll")
            with open(path, "w", encoding="utf-8") as file:
                file.write(_IR)
            data, _ = _explore(path, "-enable-pipeliner", "-mcpu=sm_80")
        function = data["versions"][0]["functions"][0]
        kinds = [stage["kind"] for stage in function["stages"]]
        self.assertEqual(sorted(kinds, key=["ir", "dag", "mir", "ptx"].index), kinds)
        self.assertEqual(set(kinds), {"ir", "dag", "mir", "ptx"})
        self.assertIn("define ptx_kernel void @sum", _lines(function, function["stages"][0])[0])
        self.assertEqual([knob["name"] for knob in data["knobs"]], ["enable-pipeliner"])
        (schedule,) = function["schedules"]
        self.assertGreaterEqual(schedule["ii"], schedule["mii"])
        self.assertEqual(schedule["mii"], max(schedule["rec_mii"], schedule["res_mii"]))
        for instr in schedule["instructions"]:
            self.assertEqual(instr["cycle"], instr["stage"] * schedule["ii"] + instr["row"])
            self.assertLess(instr["stage"], schedule["stages"])

    def test_lines_say_which_instruction_of_the_ir_they_came_from(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.ll")
            with open(path, "w", encoding="utf-8") as file:
                # A switch takes several lines, and the block that nothing reaches has no DAG.
                file.write(_IR.replace("br i1 %any, label %loop, label %exit\nloop:",
                                       "switch i32 %n, label %loop [\n    i32 0, label %exit\n    i32 1, label %exit\n  ]\n"
                                       "dead:\n  br label %dead\nloop:", 1)
                           .replace("%s = phi i32 ", "%s = phi i32 [ 0, %entry ], "))
            data, _ = _explore(path, "-O0", "-mcpu=sm_80")
        function = data["versions"][0]["functions"][0]
        stages = function["stages"]
        ir = [stage for stage in stages if stage["kind"] == "ir"][-1]
        dags = [stage for stage in stages if stage["kind"] == "dag"]
        machine = [stage for stage in stages if stage["kind"] == "mir"]
        ptx = stages[-1]

        def lines_of(stage, order):
            return [line for line, other in zip(_lines(function, stage), stage["ir"]) if other == order]

        def order_of(text):
            return next(order for line, order in zip(_lines(function, ir), ir["ir"]) if text in line)

        for text, node, opcode, printed in (("= load i32", " load<", "LD_", "ld.global"), ("= add i32 %a", " add ", "ADD32", "add.s32"),
                                            ("= icmp slt", "setcc", "SETP", "setp"), ("store i32", " store<", "ST_", "st.global")):
            order = order_of(text)
            self.assertEqual(len(lines_of(ir, order)), 1)
            for dag in dags[:1]:
                self.assertTrue(any(node in line for line in lines_of(dag, order)), (text, lines_of(dag, order)))
            self.assertTrue(any(opcode in line for line in lines_of(machine[0], order)), (text, lines_of(machine[0], order)))
            last = _lines(function, machine[-1])
            self.assertTrue(any(printed in line and opcode in last[at]
                                for line, at in zip(_lines(function, ptx), ptx["mir"]) if at >= 0), text)
        for stage in (ir, *dags, machine[0]):
            self.assertEqual(len(stage["ir"]), len(stage["code"]))
        self.assertEqual(len(ptx["mir"]), len(ptx["code"]))
        self.assertEqual(sum(at >= 0 for at in ptx["mir"]), ptx["instructions"])
        self.assertTrue(all("ir" not in stage for stage in machine[1:]))

    def test_nodes_keep_their_numbers_from_step_to_step(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.ll")
            with open(path, "w", encoding="utf-8") as file:
                file.write(_IR)
            data, _ = _explore(path, "-O2", "-mcpu=sm_80")
        function = data["versions"][0]["functions"][0]
        dags = [stage for stage in function["stages"] if stage["kind"] == "dag"]
        self.assertGreater(len(dags), 1)
        number_of_load = set()
        for dag in dags[:-1]:
            lines = _lines(function, dag)
            numbers = [match.group(1) for line in lines if (match := re.match(r"\s*(t\d+): ", line))]
            # Also between blocks.
            self.assertEqual(len(numbers), len(set(numbers)), dag["name"])
            number_of_load.update(line.split(":")[0] for line in lines if "= load<(load (s32), addrspace 1)>" in line)
        self.assertEqual(len(number_of_load), 1, number_of_load)

    def test_values_of_the_ir_keep_their_numbers_from_pass_to_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.ll")
            with open(path, "w", encoding="utf-8") as file:
                file.write("""
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %0, i32 %1) {
  %3 = add i32 %1, 0
  %4 = mul i32 %3, %3
  br label %5

5:
  %6 = phi i32 [ 0, %2 ], [ %7, %5 ]
  %7 = add i32 %6, 1
  store volatile i32 %4, ptr addrspace(1) %0
  %8 = icmp slt i32 %7, %1
  br i1 %8, label %5, label %9

9:
  ret void
}
""")
            data, _ = _explore(path, "-O2", "-mcpu=sm_80")
        function = data["versions"][0]["functions"][0]
        stages = [stage for stage in function["stages"] if stage["kind"] == "ir"]
        self.assertGreater(len(stages), 1)
        self.assertFalse(any("%3 =" in line for line in _lines(function, stages[-1])))
        for stage in stages:
            lines = _lines(function, stage)
            self.assertTrue(any(line.startswith("  %7 = add ") for line in lines), lines)
            self.assertIn("5:", lines)
        # The blocks of the machine code name those of the IR.
        machine = next(stage for stage in function["stages"] if stage["kind"] == "mir")
        self.assertTrue(any(line.endswith("(%ir-block.5):") for line in _lines(function, machine)))

    def test_two_option_sets_make_two_versions(self):
        data, _ = _explore(_EXAMPLE, "-explore-with=-O0")
        first, second = data["versions"]
        self.assertEqual(second["label"], "-O0")
        self.assertEqual([f["name"] for f in first["functions"]], [f["name"] for f in second["functions"]])
        self.assertNotEqual(first["functions"], second["functions"])
        self.assertEqual(second["functions"], _explore(_EXAMPLE, "-O0")[0]["versions"][0]["functions"])

    def test_threads_do_not_change_the_data(self):
        path = "tests/corpus/reduce.mir"
        self.assertEqual(_explore(path, "-j1")[0]["versions"][0]["functions"],
                         _explore(path, "-j4")[0]["versions"][0]["functions"])

    def test_shared_variables_limit_the_occupancy(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.ll")
            with open(path, "w", encoding="utf-8") as file:
                file.write("@buffer = internal addrspace(3) global [49152 x i8] poison\n" +
                           _IR.replace("store i32 %s, ptr addrspace(1) %p",
                                       "store i32 %s, ptr addrspace(3) @buffer"))
            data, _ = _explore(path, "-mcpu=sm_80")
        occupancy = data["versions"][0]["functions"][0]["occupancy"]
        self.assertEqual(occupancy["threads"], 256)
        # 164 KiB hold three CTAs of eight warps.
        self.assertEqual(occupancy["steps"][0]["warps"], 24)

    def test_a_file_is_the_second_input(self):
        data, _ = _explore(_EXAMPLE, "-explore-with=tests/corpus/stencil_3d.mir")
        self.assertEqual([version["label"] for version in data["versions"]], ["nbody.mir", "stencil_3d.mir"])

    def test_wrong_options_of_the_second_version_are_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            ptx = os.path.join(folder, "k.ptx")
            result = _run("-explore-json=/dev/null", "-explore-with=-nonsense", _EXAMPLE, "-o", ptx)
            self.assertEqual(result.returncode, 1)
            self.assertIn("-explore-with: unknown", result.stderr)
            self.assertFalse(os.path.exists(ptx))

    def test_what_is_no_compilation_is_refused(self):
        for option in ("-emit-llvm", "-occupancy=256", "-opt-bisect=exec"):
            result = _run("-explore-json=-", option, _EXAMPLE, "-o", "-")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("error: -explore shows a compilation, and -", result.stderr)

    def test_a_page_that_cannot_be_written_is_an_error(self):
        result = _run("-explore=/no/such/folder/page.html", _EXAMPLE, "-o", "-")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("could not open output file '/no/such/folder/page.html'", result.stderr)

    def test_what_would_be_too_large_is_left_out_with_a_note(self):
        with tempfile.TemporaryDirectory() as folder:
            path, page = os.path.join(folder, "k.ll"), os.path.join(folder, "page.html")
            adds = "".join(f"  %v{i + 1} = mul i32 %v{i}, %n\n  store volatile i32 %v{i + 1}, ptr addrspace(1) %p\n"
                           for i in range(12_000))
            with open(path, "w", encoding="utf-8") as file:
                file.write('target triple = "nvptx64-nvidia-cuda"\n'
                           f"define ptx_kernel void @large(ptr addrspace(1) %p, i32 %n) {{\n  %v0 = add i32 %n, 1\n{adds}"
                           "  ret void\n}\n")
            self.assertEqual(_run(f"-explore={page}", path, "-o", "/dev/null").returncode, 0)
            self.assertLess(os.path.getsize(page), 5_000_000)
            with open(page, encoding="utf-8") as file:
                self.assertIn("The page would be too large: ", file.read())


if __name__ == "__main__":
    python_test.main()

# SPDX-License-Identifier: Apache-2.0

"""bench/registers.py: what it reads, what it computes, baselines, and that it repeats nothing."""

import contextlib
import csv
import io
import json
import os
import signal
import subprocess
import time
import unittest
import unittest.mock

import fake_tools
import python_test
from fake_tools import mir
from registers import baseline, inputs, plots, ptxas, summary, tables
from registers.cache import Cache, default_folder
from registers.progress import Progress

_VERBOSE = """ptxas info    : 8 bytes gmem, 16 bytes cmem[4]
ptxas info    : Compiling entry function 'Sgemm128' for 'sm_80'
ptxas info    : Function properties for Sgemm128
    960 bytes stack frame, 2836 bytes spill stores, 2572 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 976 bytes cumulative stack size, 16384 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 286.418 ms
ptxas info    : Function properties for _Z6HelperPf
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Compiling entry function 'Small' for 'sm_80'
ptxas info    : Function properties for Small
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers, 360 bytes cmem[0]
"""


class ReadingTest(unittest.TestCase):
    def test_reads_figures_of_kernels_and_device_functions(self):
        functions = ptxas.parse_verbose(_VERBOSE)
        self.assertEqual(functions["Sgemm128"], {
            "is_kernel": True, "stack": 960, "spill_stores": 2836, "spill_loads": 2572, "registers": 32, "barriers": 1,
            "cumulative_stack": 976, "shared": 16384})
        self.assertEqual(functions["_Z6HelperPf"],
                         {"is_kernel": False, "stack": 8, "spill_stores": 4, "spill_loads": 12})
        self.assertEqual(functions["Small"]["registers"], 10)
        self.assertEqual(functions["Small"]["shared"], 0)

    def test_reads_the_size_of_ctas(self):
        ptx = (".visible .entry a(\n.param .u64 p\n)\n.reqntid 16, 8, 2\n{\n.reg .b32 %r<2>;\n}\n.entry b()\n{\n}\n"
               ".entry c()\n.maxntid 96\n{\n}\n")
        self.assertEqual(ptxas.threads_of_kernels(ptx), {"a": 256, "c": 96})

    def test_knows_functions_of_mir_by_their_name_in_ptx(self):
        self.assertEqual(ptxas.ptx_name("a.b@c$_1"), "a_$_b_$_c$_1")

    def test_names_kernels_of_anonymous_namespaces_as_clang_does(self):
        nvcc = "_Z8RedBlackPfiiifPN40_GLOBAL__N__462c6ad6_8_locks_cu_07cca8c94GridE"
        self.assertEqual(ptxas.plain_name(nvcc), "_Z8RedBlackPfiiifPN12_GLOBAL__N_14GridE")
        self.assertEqual(ptxas.plain_name("_ZN12_GLOBAL__N_11kEv"), "_ZN12_GLOBAL__N_11kEv")
        self.assertEqual(ptxas.plain_name("_ZN99_GLOBAL__N__1"), "_ZN99_GLOBAL__N__1")

    def test_reads_occupancy(self):
        table = ptxas.parse_occupancy(
            "sm_80: 65536 registers in units of 8 a thread, 64 warps, 32 CTAs, 167936 bytes of shared memory\n"
            "256 threads and 0 bytes of shared memory a CTA\n  registers  CTAs  warps  occupancy  limited by\n"
            "      <= 32     8     64       100%  warps, registers\n     <= 40     6     48        75%  registers\n")
        self.assertEqual(table, {"max_warps": 64, "steps": [[32, 8, 64], [40, 6, 48]]})


class InputTest(fake_tools.FakeToolsTest):
    def find(self, *arguments):
        return {source.name: source for source in inputs.find_inputs([self.path("inputs")], *arguments)}

    def test_takes_what_the_file_says(self):
        self.write("inputs/a.mir", mir(("k", 8)).replace("sm_80", "sm_90a").replace("ptx88", "ptx80,+ptx86"))
        self.write("inputs/b.mir", "name: k\n")
        found = self.find(None, None)
        self.assertEqual((found["a"].sm, found["a"].attributes), ("sm_90a", "+ptx86"))
        self.assertEqual(found["a"].stage, "finalize-isel")
        self.assertEqual((found["b"].sm, found["b"].attributes), ("sm_80", ""))
        forced = self.find("sm_75", "+ptx64")["a"]
        self.assertEqual((forced.sm, forced.attributes), ("sm_75", "+ptx64"))

    def test_takes_what_a_manifest_says(self):
        self.write("inputs/manifest.tsv",
                   "# name\tarch\tmattr\tstop_after\tclang\tllc\tabout\n"
                   "a\tsm_86\t+ptx71\tmachine-cse\t-O3 -ffast-math\t-\tx\nb\tsm_80\t-\t-\t-O0\t-\tx\n")
        for name in ("a", "b", "c"):
            self.write(f"inputs/{name}.mir", mir(("k", 8)))
            self.write(f"inputs/{name}.cu", "")
        found = self.find(None, None)
        self.assertEqual((found["a"].sm, found["a"].attributes, found["a"].stage), ("sm_86", "+ptx71", "machine-cse"))
        self.assertEqual(found["a"].nvcc_flags, ("--use_fast_math",))
        self.assertFalse(found["b"].cuda, "code that was not optimized is compared with nvcc's")
        self.assertTrue(found["c"].cuda)

    def test_takes_the_ir_out_of_the_mir(self):
        self.write("inputs/a.mir", "--- |\n  define void @k() {\n    ret void\n  }\n\n...\n---\nname: k\n...\n")
        self.assertEqual(self.find(None, None)["a"].embedded_ir(), "define void @k() {\n  ret void\n}\n\n")

    def test_knows_a_cuda_source_by_what_it_includes(self):
        self.write("inputs/a.cu", '#include "b.h"\n')
        self.write("inputs/b.h", '#include "a.cu"\nint b;\n')
        before = inputs.cuda_source_hash(self.path("inputs/a.cu"))
        self.assertEqual(inputs.cuda_source_hash(self.path("inputs/a.cu")), before)
        self.write("inputs/b.h", "int c;\n")
        self.assertNotEqual(inputs.cuda_source_hash(self.path("inputs/a.cu")), before)


def _row(ours, theirs, high_pressure=False):
    figures = lambda registers, spill_bytes, warps: {
        "registers": registers, "spill_bytes": spill_bytes, "stack": 0, "warps": warps}
    return {"ptxmir": figures(*ours), "llc": figures(*theirs), "high_pressure": high_pressure}


class SummaryTest(unittest.TestCase):
    def test_compares(self):
        rows = [_row((20, 0, 64), (40, 0, 48)), _row((80, 96, 24), (40, 8, 48), True), _row((32, 0, 64), (32, 4, 64))]
        rows.append({"ptxmir": rows[0]["ptxmir"], "llc": None, "high_pressure": True})
        figures = summary.compare(rows, "ptxmir", "llc")
        self.assertEqual(figures["kernels"], 3)
        self.assertAlmostEqual(figures["registers"]["geomean"], 1.0)  # 1/2, 2, 1
        self.assertEqual([figures["registers"][k] for k in ("better", "equal", "worse")], [1, 1, 1])
        self.assertEqual([figures["occupancy"][k] for k in ("better", "equal", "worse")], [1, 1, 1])
        self.assertEqual(figures["spills"]["ratio"], 8)
        self.assertAlmostEqual(figures["spills"]["geomean"], (100 / 12 * 4 / 8)**(1 / 3))
        self.assertEqual((figures["spills"]["kernels_ours"], figures["spills"]["kernels_theirs"]), (1, 2))
        self.assertIsNone(summary.compare(rows[3:], "ptxmir", "llc"))

    def test_says_how_far_the_marks_are(self):
        row = _row((47, 10, 32), (50, 20, 32), True)
        pair = {"ours": "ptxmir", "theirs": "llc", "all": summary.compare([row], "ptxmir", "llc"),
                "high_pressure": summary.compare([row], "ptxmir", "llc"), "time": None}
        own = {"median_rematerialization_fall": 0.1}
        settings = [{"options": "O2", "budget": budget, "own": own, "pairs": [pair]} for budget in ("default", "32")]
        marks = {mark["what"]: mark for mark in summary.marks(settings)}
        registers = marks["high-pressure kernels, no limit: registers, geomean"]
        self.assertAlmostEqual(registers["value"], 0.94)
        self.assertTrue(registers["reached"])
        self.assertTrue(marks["high-pressure kernels, 32 registers: spill bytes, total"]["reached"])
        fall = marks["kernels above their target, budget 32: median fall of max-live by rematerialization"]
        self.assertFalse(fall["reached"])

    def test_measures_rematerialization_alone(self):
        def kernel(*live):
            passes = ("input", "phi-node-elimination", "nvptx-remat-block", "last")
            return {"steps": [{"pass": name, "max_live": n} for name, n in zip(passes, live)], "max_live": live[-1],
                    "target": 70}

        helped, not_needed, not_helped = kernel(50, 100, 80, 90), kernel(90, 60, 50, 50), kernel(90, 100)
        falls = summary.rematerialization_falls([helped, not_needed, not_helped])
        self.assertEqual([round(fall, 6) for fall in falls], [0.2, 0])
        self.assertEqual(summary.rematerialization_falls([not_helped]), [])


class RunTest(fake_tools.FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.write("inputs/a.mir", mir(("small", 20), ("large", 60)))
        self.write("inputs/a.cu", "kernel small 20\nkernel large 60\n")
        self.write("inputs/b.mir", mir(("middle", 40)))

    def test_has_every_kernel_at_every_budget(self):
        rows = self.rows("--budgets=default,32", "--count-executed")
        self.assertEqual(len(rows), 6)
        small, large = rows["a", "small", "O2", "default"], rows["a", "large", "O2", "32"]
        self.assertEqual([small[tool]["registers"] for tool in ("ptxmir", "llc", "nvcc")], [20, 22, 19])
        self.assertEqual([large[tool]["registers"] for tool in ("ptxmir", "llc", "nvcc")], [32, 32, 32])
        self.assertEqual([large[tool]["spill_bytes"] for tool in ("ptxmir", "llc", "nvcc")], [224, 240, 216])
        self.assertEqual((small["ptxmir"]["threads"], small["ptxmir"]["warps"]), (128, 64))
        self.assertEqual((small["ptxmir"]["max_live_input"], small["ptxmir"]["max_live"]), (22, 20))
        self.assertEqual((small["ptxmir"]["executed_input"], small["ptxmir"]["executed"]), (100, 103))
        self.assertIsNone(rows["b", "middle", "O2", "default"]["nvcc"])
        # 42 of llc's registers are no 48, but spill at a cap of 32.
        high = {key[1] for key, row in rows.items() if row["high_pressure"]}
        self.assertEqual(high, {"large", "middle"})

    def test_knows_pressure_without_those_budgets(self):
        rows = self.rows("--budgets=64")
        self.assertEqual({key[1] for key, row in rows.items() if row["high_pressure"]}, {"large", "middle"})
        self.assertEqual({key[3] for key in rows}, {"64"})

    def test_adds_own_spills(self):
        rows = self.rows("--budgets=32", "--options", "spilling=-O2 -own-spills", "--options", "plain=-O2")
        self.assertEqual(rows["a", "large", "spilling", "32"]["ptxmir"]["spill_bytes"], 224 + 12)
        self.assertEqual(rows["a", "large", "plain", "32"]["ptxmir"]["spill_bytes"], 224)

    def test_takes_the_best_option_set_of_each_kernel(self):
        sets = ["--options", "a=-O2 -extra=small:4", "--options", "b=-O2 -extra=large:8"]
        rows = self.rows("--budgets=default,32", *sets)
        self.assertEqual(rows["a", "small", "best", "default"]["ptxmir"]["registers"], 20)
        self.assertEqual(rows["a", "small", "best", "default"]["chosen"], "b")
        large = rows["a", "large", "best", "32"]
        self.assertEqual((large["ptxmir"]["spill_bytes"], large["chosen"]), (224, "a"))
        # Where all are the same, the first; and nothing of the kind where there is no choice.
        self.assertEqual(rows["b", "middle", "best", "default"]["chosen"], "a")
        self.assertNotIn(("a", "small", "best", "32"), self.rows("--budgets=32"))
        _, text, _ = self.harness("--budgets=default,32", *sets)
        self.assertIn("== best, budget 32", text)

    def test_compares_variants_of_llc(self):
        variants = ["--llc-variant=less=-O2 -fewer", "--llc-variant=more=-extra=small:6"]
        rows = self.rows(*variants)
        small = rows["a", "small", "O2", "default"]
        self.assertEqual([small[tool]["registers"] for tool in ("llc", "llc-less", "llc-more", "llc-best")],
                         [22, 18, 28, 18])
        status, text, _ = self.harness("--csv=" + self.path("out.csv"), *variants)
        self.assertEqual(status, 0)
        self.assertIn("llc-best / llc, all", text)
        self.assertIn(",llc-more.registers,", self.read("out.csv"))

    def test_prefers_bytes_of_own_spills(self):
        stores = '"spill_stores": own,'
        self.write("ptxmir", self.read("ptxmir").replace(stores, stores + ' "spill_store_bytes": 8 * own,'))
        rows = self.rows("--budgets=32", "--options", "spilling=-O2 -own-spills")
        self.assertEqual(rows["a", "large", "spilling", "32"]["ptxmir"]["own_spill_stores"], 8)

    def test_ends_with_the_marks(self):
        status, text, error = self.harness("--budgets=default,32,40,64")
        self.assertEqual(status, 0, error)
        end = text[text.index("== what is to be reached"):]
        self.assertIn("high-pressure kernels, no limit: registers, geomean", end)
        for budget in (32, 40, 64):
            self.assertIn(f"high-pressure kernels, {budget} registers: spill bytes, geomean", end)
        self.assertIn("ptxmir / nvcc, all", text)
        self.assertIn("llc / nvcc, all", text)
        self.assertNotIn("\r", error, "a progress bar where there is no terminal")

    def test_writes_csv(self):
        status, _, error = self.harness("--csv=" + self.path("out.csv"))
        self.assertEqual(status, 0, error)
        lines = list(csv.DictReader(io.StringIO(self.read("out.csv"))))
        self.assertEqual([line["kernel"] for line in lines], ["small", "large", "middle"])
        self.assertEqual((lines[1]["ptxmir.registers"], lines[1]["llc.registers"]), ("60", "62"))
        self.assertEqual(lines[2]["nvcc.registers"], "")
        self.assertEqual(lines[0]["steps"], "input:22 remat:20")

    def test_does_without_peers(self):
        status, text, error = self.harness("--llc=none", "--nvcc=none")
        self.assertEqual(status, 0, error)
        self.assertNotIn("llc,", text)
        status, _, error = self.harness("--llc=no-such-llc")
        self.assertEqual(status, 0)
        self.assertIn("no no-such-llc here", error)

    def test_tells_of_failures(self):
        self.write("inputs/c.mir", mir(("k", 8), note="CRASH ptxmir"))
        status, text, _ = self.harness()
        self.assertEqual(status, 1)
        self.assertIn("c: ptxmir (O2, budget default): ptxmir: error: cannot take this", text)
        self.assertIn("ptxmir / llc, all", text)

    def test_a_failure_of_everybody_is_not_ours(self):
        self.write("inputs/c.mir", mir(("CRASHptxas", 8)))
        script = self.read("ptxas").replace('"SLOW" in text', '"CRASHptxas" in text and "maxrregcount" in options')
        self.write("ptxas", script.replace("time.sleep(0.3)", 'sys.exit("note\\nptxas fatal: no\\nmore")'))
        status, text, _ = self.harness("--budgets=default,32,40")
        self.assertEqual(status, 0, text)
        self.assertIn("c: ptxmir (O2, budgets 32, 40): ptxas: ptxas fatal: no\n", text)
        # Where only ours is refused, it is.
        self.assertEqual(self.harness("--budgets=default,32,40", "--llc=none")[0], 1)

    def test_links_nothing_where_something_is_missing(self):
        script = self.read("ptxas").replace(
            'if "SLOW" in text', 'if "-c" not in arguments: sys.exit("ptxas fatal : Unresolved extern function")\nif 0')
        self.write("ptxas", script)
        self.assertEqual(self.rows()["b", "middle", "O2", "default"]["ptxmir"]["registers"], 40)

    def test_starts_llc_from_ir_where_it_refuses_mir(self):
        script = self.read("llc").replace('if "SLOW"', 'if "start-after" in options: sys.exit("refused")\nif "SLOW"')
        self.write("llc", script)
        self.write("inputs/b.ll", "kernel middle 40\n")
        self.assertEqual(self.rows()["b", "middle", "O2", "default"]["llc"]["registers"], 52)

    def test_refuses_what_makes_no_sense(self):
        for arguments in (["--budgets=0"], ["--budgets=x"], ["--options", "-O2"], ["--options", "best=-O2"],
                          ["--ptxas=no-such-ptxas"], ["--fail-on-regression"], ["--baseline=" + self.path("absent")],
                          ["--baseline=" + self.path("inputs/a.mir")], ["--ptxmir=" + self.path("absent")]):
            self.assertEqual(self.harness(*arguments)[0], 2, arguments)


class BaselineTest(fake_tools.FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.write("inputs/a.mir", mir(("one", 30), ("two", 30)))
        self.base = self.path("baseline.json")
        self.assertEqual(self.harness("--budgets=default,32", "--write-baseline=" + self.base)[0], 0)

    def against(self, options, *arguments):
        return self.harness("--budgets=default,32", "--baseline=" + self.base, "--options", "O2=" + options, *arguments)

    def test_same_figures_are_no_regression(self):
        status, text, _ = self.against("-O2", "--fail-on-regression")
        self.assertEqual(status, 0)
        self.assertIn("against the baseline: 4 compared, 0 worse, 0 better", text)

    def test_four_more_registers_of_one_kernel_are_one(self):
        status, text, _ = self.against("-O2 -extra=two:4", "--fail-on-regression")
        self.assertEqual(status, 1)
        self.assertIn("worse:  a:two (O2, budget default): registers 30 -> 34\n", text)
        self.assertIn("worse:  a:two (O2, budget default): warps resident 64 -> 32\n", text)
        self.assertIn("worse:  a:two (O2, budget 32): spill bytes 0 -> 16\n", text)
        self.assertNotIn("a:one", text[text.index("against the baseline"):])

    def test_listing_is_all_without_the_flag(self):
        status, text, _ = self.against("-O2 -extra=two:4")
        self.assertEqual(status, 0)
        self.assertIn("registers 30 -> 34", text)

    def test_tolerances_count(self):
        tolerances = ["--tolerance-registers=4", "--tolerance-spill-bytes=16", "--tolerance-stack=8",
                      "--tolerance-warps=32"]
        self.assertEqual(self.against("-O2 -extra=two:4", "--fail-on-regression", *tolerances)[0], 0)
        self.assertEqual(self.against("-O2 -extra=two:5", "--fail-on-regression", *tolerances)[0], 1)

    def test_fewer_registers_are_an_improvement(self):
        status, text, _ = self.against("-O2 -extra=one:-4", "--fail-on-regression")
        self.assertEqual(status, 0)
        self.assertIn("better: a:one (O2, budget default): registers 30 -> 26", text)

    def test_a_kernel_that_is_gone_is_a_regression(self):
        self.write("inputs/a.mir", mir(("one", 30)))
        status, text, _ = self.against("-O2", "--fail-on-regression")
        self.assertEqual(status, 1)
        self.assertIn("a:two (O2, budget 32): does not compile any more", text)

    def test_a_file_or_budget_that_was_not_run_is_none(self):
        status, text, _ = self.against("-O2", "--fail-on-regression", "--budgets=32")
        self.assertEqual(status, 0)
        self.assertIn("2 compared", text)
        # But where nothing is compared, nothing is well either.
        self.write("inputs/b.mir", mir(("three", 30)))
        os.unlink(self.path("inputs/a.mir"))
        status, text, _ = self.against("-O2", "--fail-on-regression")
        self.assertEqual(status, 1)
        self.assertIn("no kernel of the baseline", text)

    def test_another_version_of_the_file_is_refused(self):
        content = json.loads(self.read("baseline.json"))
        content["version"] = 7
        self.write("baseline.json", json.dumps(content))
        with self.assertRaises(baseline.Unusable):
            baseline.read(self.base)


class RestartTest(fake_tools.FakeToolsTest):
    def test_a_second_run_runs_nothing(self):
        self.write("inputs/a.mir", mir(("one", 30)))
        first = self.harness("--budgets=default,32")
        self.assertTrue(self.calls())
        self.assertEqual(self.harness("--budgets=default,32")[1], first[1])
        self.assertEqual(self.calls(), [])

    def test_only_what_depends_on_a_change_runs_again(self):
        self.write("inputs/a.mir", mir(("one", 30)))
        self.write("inputs/b.mir", mir(("two", 30)))
        self.harness("--budgets=default,32")
        self.calls()
        # The same PTX for ptxas: it is not asked again. llc's input is the same too.
        self.harness("--budgets=default,32", "--options", "O2=-O2 -something-else")
        self.assertEqual({call.split()[0] for call in self.calls()}, {"ptxmir"})
        # Another program of the same name.
        self.write("ptxmir", self.read("ptxmir") + "\n")
        self.harness("--budgets=default,32")
        self.assertEqual({call.split()[0] for call in self.calls()}, {"ptxmir"})
        self.write("inputs/b.mir", mir(("two", 31)))
        self.harness("--budgets=default,32")
        calls = self.calls()
        self.assertEqual({call.split()[0] for call in calls}, {"ptxmir", "llc", "ptxas"})
        self.assertFalse([call for call in calls if "a.mir" in call])

    def test_an_interrupted_run_repeats_nothing(self):
        for number in range(6):
            self.write(f"inputs/{number}.mir", mir((f"k{number}", 30 + number), note="SLOW"))
        command = self.command("--budgets=default,32")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not os.path.exists(self.log) or self.read("log").count("\n") < 6):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, error)
        self.assertIn("the same command goes on", error)
        before = self.calls()
        status, _, error = self.harness("--budgets=default,32")
        self.assertEqual(status, 0, error)
        after = self.calls()
        # What a worker was at when it was stopped begins anew: one call each, whichever tool it was. ptxmir runs twice for
        # a result.
        is_again = [call for call in after if call in before and "-stats" not in call]
        self.assertLessEqual(len(is_again), 2, is_again)
        self.assertGreaterEqual(len(before), 6)

    def test_a_damaged_result_is_made_anew(self):
        self.write("inputs/a.mir", mir(("one", 30)))
        first = self.rows()
        self.calls()
        for folder, _, names in os.walk(self.path("cache")):
            for name in names:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write('{"ptx": "tru')
        again = self.rows()
        for row in (*first.values(), *again.values()):
            for tool in ("ptxmir", "llc"):
                row[tool].pop("compile_seconds")
        self.assertEqual(first, again)
        self.assertTrue(self.calls())

    def test_results_are_kept_in_the_users_cache_folder(self):
        with unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": "/elsewhere", "HOME": "/home/me"}):
            self.assertEqual(default_folder(), "/elsewhere/ptxmir/registers")
        for not_absolute in ("", "here"):
            with unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": not_absolute, "HOME": "/home/me"}):
                self.assertEqual(default_folder(), "/home/me/.cache/ptxmir/registers")

    def test_a_folder_that_cannot_be_made_is_reported_once(self):
        in_the_way = os.path.join(self.folder, "file")
        with open(in_the_way, "w", encoding="utf-8"):
            pass
        cache = Cache(os.path.join(in_the_way, "cache"))
        with contextlib.redirect_stderr(io.StringIO()) as messages:
            self.assertEqual([cache.get([key], lambda: ({"a": 1}, True)) for key in "xy"], [{"a": 1}] * 2)
        self.assertEqual(messages.getvalue().count("warning: results are not kept: "), 1)

    def test_a_crash_is_a_result(self):
        self.write("inputs/a.mir", mir(("one", 30)))
        script = self.read("llc").replace('if "SLOW"', 'log()\nos.abort()\nif "SLOW"')
        self.write("llc", script)
        self.harness()
        # From the MIR, and from the IR in it.
        self.assertEqual(sum(call.startswith("llc") for call in self.calls()), 2)
        self.harness()
        self.assertEqual(self.calls(), [])

    def test_a_process_that_was_killed_is_no_result(self):
        self.write("inputs/a.mir", mir(("one", 30)))
        whole = self.read("llc")
        self.write("llc", whole.replace('if "SLOW"', 'import signal\nos.kill(os.getpid(), signal.SIGKILL)\nif "SLOW"'))
        status = os.stat(self.path("llc"))
        self.harness()
        # The same program as far as the key goes: size and time are those of before.
        self.write("llc", whole + " " * (status.st_size - len(whole)))
        os.utime(self.path("llc"), ns=(status.st_atime_ns, status.st_mtime_ns))
        self.assertEqual(self.rows()["a", "one", "O2", "default"]["llc"]["registers"], 32)


class _Terminal(io.StringIO):
    def isatty(self):
        return True


class ProgressTest(unittest.TestCase):
    def test_draws_on_a_terminal_only(self):
        for stream, is_drawn in ((io.StringIO(), False), (_Terminal(), True)):
            progress = Progress(stream)
            progress.begin(2)
            progress.advance()
            progress.advance()
            progress.end()
            self.assertEqual("2/2" in stream.getvalue(), is_drawn)
            self.assertEqual(stream.getvalue() == "", not is_drawn)


class TableTest(unittest.TestCase):
    def test_shows_what_is_asked_for(self):
        rows = []
        for name, ours in (("same", 20), ("other", 24)):
            row = _row((ours, 0, 64), (20, 0, 64))
            row.update({"file": "a", "kernel": name, "options": "O2", "budget": "default", "is_kernel": True})
            rows.append(row)
        self.assertEqual(len(tables.kernel_table(rows, "all")), 4)
        different = "\n".join(tables.kernel_table(rows, "different"))
        self.assertIn("a:other", different)
        self.assertNotIn("a:same", different)
        self.assertEqual(tables.kernel_table(rows, "none"), [])

    def test_steps_of_axes(self):
        self.assertEqual([plots.tick_step(most) for most in (1, 16, 100, 255, 40183)], [1, 2, 20, 50, 10000])


if __name__ == "__main__":
    python_test.main()

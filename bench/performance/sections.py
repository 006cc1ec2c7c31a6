# SPDX-License-Identifier: Apache-2.0

"""The sections of docs/performance.md: the commands that the page shows, how to measure, and the tables. `measure`
takes the root of the repository and returns results, which are kept as JSON; `tables` makes rows of text from them."""

import math
import re
from typing import Callable, NamedTuple

from performance import commands


class Section(NamedTuple):
    commands: list
    measure: Callable
    tables: Callable


def _f(value, digits=3):
    return "" if value is None else f"{value:,.{digits}f}"


def _n(value):
    return f"{value:,}"


def _pair(values):
    return ", ".join(_f(value) for value in values)


# Registers and spills, by bench/registers.py.

_BUDGETS = ("default", "32", "40", "64")
_COMPARED = ("ptxmir / llc", "ptxmir / nvcc", "llc / nvcc")


def _by_options_and_budget(summary):
    """Returns {options: {budget: {"a / b": {"all", "high_pressure"}}}}."""
    found = {}
    for setting in summary:
        pairs = {f"{pair['ours']} / {pair['theirs']}": {key: pair[key] for key in ("all", "high_pressure")}
                 for pair in setting["pairs"]}
        found.setdefault(setting["options"], {})[setting["budget"]] = pairs
    return found


def _measure_registers(files):
    """Returns a function that measures the files; without any, all of tests/corpus."""
    def measure(root):
        summary, _ = commands.compare_registers(root, " ".join(files))
        return next(iter(_by_options_and_budget(summary).values()))
    return measure


def _register_tables(results):
    rows = [["budget", "kernels", "", *_COMPARED]]
    for budget, pairs in results.items():
        name = "none" if budget == "default" else budget
        for key, title in (("all", "all"), ("high_pressure", "high pressure")):
            of = [pairs[pair][key] for pair in _COMPARED]
            with_nvcc = " with nvcc's" if len(rows) == 1 else ""
            kernels = f"{title}, {of[0]['kernels']} ({of[1]['kernels']}{with_nvcc})"
            if key == "all" or budget == "default":
                rows.append([name, kernels, "registers", *(_f(figures["registers"]["geomean"]) for figures in of)])
            if key == "all":
                continue
            if budget == "default":
                for part, label in (("registers", "better/equal/worse"), ("occupancy", "warps resident: more/equal/fewer")):
                    verdicts = [figures[part] for figures in of]
                    rows.append(["", "", label, *(f"{v['better']}/{v['equal']}/{v['worse']}" for v in verdicts)])
                continue
            spills = [figures["spills"] for figures in of]
            total = f"{_f(spills[0]['ratio'])} ({_n(spills[0]['ours'])} / {_n(spills[0]['theirs'])})"
            rows.append([name, kernels, "spill bytes, total", total, *(_f(s["ratio"]) for s in spills[1:])])
            rows.append(["", "", "spill bytes, geomean", *(_f(s["geomean"]) for s in spills)])
    return [rows]


def _figures_to_llc(budgets):
    """Returns {budget: figures} of high-pressure kernels to llc: registers without a limit, else spill bytes (ratio of
    totals, geometric mean)."""
    found = {}
    for budget, pairs in budgets.items():
        high = pairs["ptxmir / llc"]["high_pressure"]
        is_unlimited = budget == "default"
        found[budget] = ([high["registers"]["geomean"]] if is_unlimited
                         else [high["spills"]["ratio"], high["spills"]["geomean"]])
    return found


def _measure_option_sets(arguments, labeled):
    """Returns a function that measures option sets, which are pairs of a label and flags."""
    def measure(root):
        sets = [(f"set{i}", flags) for i, (_, flags) in enumerate(labeled)]
        summary, _ = commands.compare_registers(root, "--nvcc=none " + arguments, sets)
        by_options = _by_options_and_budget(summary)
        return {label: _figures_to_llc(by_options[f"set{i}"]) for i, (label, _) in enumerate(labeled)}
    return measure


def _option_set_tables(first):
    def tables(results):
        return [[[first, "registers, no limit", *_BUDGETS[1:]],
                 *([label, *(_pair(figures[budget]) for budget in _BUDGETS)] for label, figures in results.items())]]
    return tables


# Units of tests/corpus that nobody looked at when settings were chosen (tests/corpus/README.md).
HELD_OUT = ("hash_tables", "language_model", "lattice_fields", "molecules", "particle_mesh", "signal_codes", "spatial_trees",
            "training")


def _with(label, flags):
    return (f"{label} (`{flags}`)" if label else f"`{flags}`", flags)


_MECHANISMS = [
    ("none", ""),
    _with("without webs and coalescing", "-usedessa=1 -join-liveintervals=false"),
    _with("", "-induction-merge=false"),
    _with("", "-pressure-sink=false"),
    _with("", "-nv-disable-remat"),
    _with("without the target of full occupancy", "-nv-remat-default-max-reg=70"),
    _with("without chains of more than 6 instructions", "-nv-remat-block-map-size-limit=6"),
    _with("without the frame passes",
          "-nv-disable-mem2reg -no-stack-coloring -frame-fold-addresses=false -frame-sort-objects=false"),
    _with("", "-enable-misched=false"),
    _with("", "-disable-machine-sink"),
    _with("with all that LLVM sinks", "-nvptx-enable-machine-sink"),
    _with("", "-disable-branch-fold"),
    _with("", "-disable-block-placement"),
    ("both of these", "-disable-branch-fold -disable-block-placement"),
    _with("with machine-cse", "-mcse-raise-pressure"),
]

_TOOLKIT = [
    ("the default", ""),
    _with("", "-nv-remat-default-max-reg=70 -nv-remat-block-map-size-limit=6"),
    _with("", "-enable-misched=false"),
]


_PUBLIC = [
    ("the default", ""),
    _with("", "-O3"),
    _with("", "-disable-machine-cse"),
]


def _measure_compiled(compiler, folder, labeled):
    """Returns a function that compiles kernels to `folder` and measures them under option sets."""
    def measure(root):
        commands.run(root, f"{compiler} {folder}")
        return _measure_option_sets(folder, labeled)(root)
    return measure


def _worse_than_llc(rows, options):
    """Returns the number of pairs of a kernel and a budget that are worse than with llc, and of their kernels."""
    worse = [row["file"] + row["kernel"] for row in rows
             if row["options"] == options and row["ptxmir.warps"] and row["llc.warps"] and
             (int(row["ptxmir.warps"]), -int(row["ptxmir.spill_bytes"])) <
             (int(row["llc.warps"]), -int(row["llc.spill_bytes"]))]
    return [len(worse), len(set(worse))]


def _measure_autotune(root):
    sets = dict(commands.option_sets_of_autotune(root))
    results = {}
    for label, names in (("default alone", ["default"]), ("`as-llc` alone", ["as-llc"]),
                         ("the best of the two", ["default", "as-llc"]),
                         ("the best of these, `as-laid-out` and `remat-more`",
                          ["default", "as-llc", "as-laid-out", "remat-more"]),
                         ("the best of all", list(sets))):
        summary, rows = commands.compare_registers(root, "--nvcc=none", [(name, sets[name]) for name in names])
        chosen = "best" if len(names) > 1 else names[0]
        results[label] = {"figures": _figures_to_llc(_by_options_and_budget(summary)[chosen]),
                          "worse": _worse_than_llc(rows, chosen)}
    return results


def _autotune_tables(results):
    rows = [["sets", "registers, no limit", *_BUDGETS[1:], "worse"]]
    for label, of in results.items():
        pairs, kernels = of["worse"]
        worse = f"{pairs} ({kernels})" if pairs else "0"
        rows.append([label, *(_pair(of["figures"][budget]) for budget in _BUDGETS), worse])
    return [rows]


def _measure_spilling(root):
    """Returns the kernels of which -ra-spill-excess=190 spills registers, and their spill bytes."""
    _, rows = commands.compare_registers(root, "--nvcc=none --llc=none",
                                         [("never", ""), ("much", "-ra-spill-excess=190")], budgets="32")
    by_kernel = {}
    for row in rows:
        kernel = f"`{row['file'].removesuffix('.mir')}` {row['kernel']}"
        by_kernel.setdefault(kernel, {})[row["options"]] = row
    found = {}
    for kernel, of in by_kernel.items():
        if int(of["much"]["ptxmir.own_spill_stores"] or 0) > 0:
            found[kernel] = [int(of[name]["ptxmir.spill_bytes"]) for name in ("never", "much")]
    return found


def _spilling_tables(results):
    return [[["kernel", "left to ptxas", "spilled by ptxmir"],
             *([kernel, _n(left), _n(spilled)] for kernel, (left, spilled) in results.items())]]


# Time and memory.

def _measure_compile_time(root):
    commands.build(root, "//tools:ptxmir", "//bench:generate_mir")
    generated, _ = commands.run_with_json(root, "bench/compare_with_llc.py --runs 3", "--json")
    corpus, _ = commands.run_with_json(root, "bench/compare_with_llc.py --runs 3 tests/corpus/*.mir", "--json")
    return {"generated": generated, "corpus": corpus}


def _compile_time_tables(results):
    rows = [["file", "instructions", "llc s", "ptxmir s", "llc / ptxmir", "llc MB", "ptxmir MB", "bytes an instruction"]]
    start = results["generated"]["start_up"]
    rows.append(["start-up", "0", f"{start['llc']:.4f}", f"{start['ptxmir']:.4f}",
                 f"{start['llc'] / start['ptxmir']:.0f}", "", "", ""])
    corpus = results["corpus"]["all"]
    for row in [*results["generated"]["files"], {**corpus, "name": f"tests/corpus, {corpus['files']} files"}]:
        llc, ours = row.get("llc_seconds"), row["ptxmir_seconds"]
        memory = row.get("ptxmir_mb")
        per_instr = f"{memory * 1048576 / row['instructions']:.0f}" if memory and row["instructions"] >= 100000 else ""
        rows.append([row["name"], _n(row["instructions"]), f"{llc:.3g}" if llc else "", f"{ours:.{2 if ours < 0.1 else 3}g}",
                     f"{llc / ours:.0f}" if llc else "", _n(round(row["llc_mb"])) if row.get("llc_mb") else "",
                     _n(round(memory)) if memory else "", per_instr])
    return [rows]


_LEVELS = (0, 1, 2)
_LEVEL_INPUTS = {
    "the corpus, joined and repeated": "--runs 3 --joined=300000",
    "generated, 300,000 instructions in 20 functions": "--runs 3 --sizes=300000x20",
    "the corpus, file by file": "--runs 3 tests/corpus/*.mir",
}


def _measure_levels(root):
    commands.build(root, "//tools:ptxmir", "//bench:generate_mir")
    return {name: [commands.run_with_json(root, f"bench/compare_with_llc.py --level={level} {options}", "--json")[0]
                   for level in _LEVELS]
            for name, options in _LEVEL_INPUTS.items()}


def _level_tables(results):
    rows = [["input", "level", "instructions", "llc s", "ptxmir s", "llc / ptxmir", "llc MB", "ptxmir MB"]]
    for name, levels in results.items():
        for level, figures in zip(_LEVELS, levels):
            total = figures["all"]
            ratio = f"{total['llc_seconds'] / total['ptxmir_seconds']:.1f}"
            memory = ["", ""]
            if total["files"] > 1:
                ratio += f"; geometric mean of {total['files']} files {total['geomean']:.1f}"
            else:
                memory = [_n(round(figures["files"][0][tool])) for tool in ("llc_mb", "ptxmir_mb")]
            rows.append([name, f"-O{level}", _n(total["instructions"]), f"{total['llc_seconds']:.3g}",
                         f"{total['ptxmir_seconds']:.3g}", ratio, *memory])
    return [rows]


def _measure_scaling(root):
    commands.build(root, "//tools:ptxmir", "//bench:generate_mir")
    return commands.run_with_json(root, "bench/scaling.py --level=2", "--json")[0]


def _scaling_tables(results):
    sizes = results["sizes"]
    rows = [["one function at -O2", *(f"{_n(size)} instructions" for size in sizes), "slope", "bytes an instruction"]]
    for shape, figures in results["shapes"].items():
        seconds = figures["seconds"]
        slope = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
        rows.append([shape, *(f"{second:.3f} s" for second in seconds), f"{slope:.2f}",
                     f"{figures['bytes_per_instruction']:.0f}"])
    return [rows]


def _measure_threads(root):
    commands.build(root, "//tools:ptxmir", "//bench:generate_mir")
    return commands.run_with_json(root, "bench/thread_scaling.py --runs 6", "--json")[0]


def _thread_tables(results):
    return [[["options", "-j1", "-j2", "speed-up"],
             *([options, f"{one:.3f} s", f"{two:.3f} s", f"{one / two:.2f}"] for options, (one, two) in results.items())]]


_CONFIGURATIONS = {"O2": "-O2", "O2-maxreg24": "-O2, a budget of 24 registers",
                   "O2-spilling": "-O2, spilling what exceeds 16 registers", "O0": "-O0"}
_SIZES = (1000, 10000, 100000, 1000000)


def _measure_passes(root):
    cases, output = commands.benchmark(root, "pipeline_benchmark")
    sizes = {name: [cases[f"{name}/{size}/iterations:3/manual_time"]["ns/instr"] for size in _SIZES]
             for name in _CONFIGURATIONS}
    shares = {}
    for line in output.splitlines():
        if head := re.match(r"(\S+): [\d.]+ s in passes at the largest size$", line):
            shares[head[1]] = of = []
        elif row := re.match(r"\s*([\d.]+)%\s+([\d.]+)\s+([\d.]+)\s+(\S+)$", line):
            of.append([row[4], *map(float, row.groups()[:3])])
    return {"ns_per_instr": sizes, "passes": shares}


def _pass_tables(results):
    sizes = results["ns_per_instr"]
    tables = [[["ns an instruction, all passes", *map(_n, _SIZES)],
               *([_CONFIGURATIONS[name], *(_n(round(value)) for value in sizes[name])] for name in sizes)]]
    # Left out are cheap passes and, where there are few registers, those that cost no more than with enough.
    plain = {name: ns for name, _, ns, _ in results["passes"]["O2"]}
    for configuration, passes in results["passes"].items():
        is_plain = configuration == "O2"
        shown = [row for row in passes
                 if row[1] >= (2 if is_plain else 0.5) and (is_plain or row[2] > 1.5 * plain.get(row[0], 0))]
        if configuration == "O0" or not shown:
            continue
        tables.append([[f"{_CONFIGURATIONS[configuration]}, 1,000,000 instructions", "share", "ns an instruction", "slope"],
                       *([name, f"{share:.{0 if share >= 1 else 1}f} %", _n(round(ns)), f"{slope:.2f}"]
                         for name, share, ns, slope in sorted(shown, key=lambda row: -row[1]))])
    return tables


_ALLOCATION = ("bazel-bin/tools/ptxmir -run-pass=phi-node-elimination,twoaddressinstruction,greedy {} "
               "-o /dev/null -stats")


def _measure_allocation(root):
    commands.build(root, "//tools:ptxmir", "//bench:generate_mir")
    found = []
    for size in _SIZES[1:]:
        with_spills = commands.run_on_generated(root, size, _ALLOCATION.format("-ra-spill=always -ra-limit=8"))
        without = commands.run_on_generated(root, size, _ALLOCATION.format("-ra-spill=never"))
        counts = commands.numbers_after(with_spills.output, "registers spilled", "registers split by region",
                                        "reloads inserted")
        found.append({"instructions": size, "with": with_spills.seconds, "without": without.seconds,
                      "spilled": counts[0], "split": counts[1], "reloads": counts[2], "mb": with_spills.megabytes})
    return found


def _allocation_tables(results):
    return [[["instructions", "with", "without", "spilled", "split by region", "reloads", "memory"],
             *([_n(row["instructions"]), f"{row['with']:.3g}", f"{row['without']:.2f}", _n(row["spilled"]),
                _n(row["split"]), _n(row["reloads"]), f"{_n(round(row['mb']))} MB"] for row in results)]]


# Analyses.

_INTERVAL_COUNTERS = ("read_ns", "indexes_ns", "intervals_ns", "ratio", "variables_ns", "matrix_ns")


def _measure_live_intervals(root):
    cases, _ = commands.benchmark(root, "live_intervals_benchmark")
    return {form: {str(size): {name: cases[f"BM_LiveIntervals/{form}/{size}/manual_time"][name]
                               for name in _INTERVAL_COUNTERS} for size in _SIZES} for form in ("ssa", "no_phis")}


def _live_interval_tables(results):
    rows = [["instructions", "reading", "slot-indexes", "live-intervals", "ratio", "live-variables", "live-reg-matrix"]]
    for size in _SIZES:
        ssa, plain = (results[form][str(size)] for form in ("ssa", "no_phis"))
        cell = lambda name, digits=0: f"{_f(ssa[name], digits)} ({_f(plain[name], digits)})"
        rows.append([_n(size), _f(ssa["read_ns"], 0), f"{ssa['indexes_ns']:.2g}", cell("intervals_ns"), cell("ratio", 2),
                     cell("variables_ns"), cell("matrix_ns")])
    return [rows]


def _measure_pressure(root):
    cases, _ = commands.benchmark(root, "machine_register_pressure_benchmark")
    def figures(name, counter, scale, suffix=""):
        return {str(size): cases[f"{name}/{size}{suffix}"][counter] * scale for size in _SIZES}
    return {
        "full, many blocks": figures("FullManyBlocks", "ns_per_instr", 1),
        "full, one block": figures("FullOneBlock", "ns_per_instr", 1),
        "elimination, many blocks": figures("EliminateManyBlocks", "us_per_edit", 1, "/iterations:1"),
        "elimination, one block": figures("EliminateOneBlock", "us_per_edit", 1, "/iterations:1"),
    }


def _pressure_tables(results):
    unit = lambda name: "ns" if name.startswith("full") else "us"
    return [[["instructions", *results],
             *([_n(size), *(f"{of[str(size)]:.0f} {unit(name)}" for name, of in results.items())] for size in _SIZES)]]


# The interpreter. For each case, the kernel and what it stresses.
_KERNELS = {
    "compute/sha256": ("HashBlocks (sha256)", "integers in registers"),
    "compute/nbody_f32": ("AllPairs (nbody), f32", "floats, shared memory"),
    "compute/nbody_f64": ("AllPairs (nbody), f64", "doubles, shared memory"),
    "compute/hgemm_mma": ("HgemmTensor (hgemm_mma)", "mma, ldmatrix, cp.async"),
    "memory/heat": ("Heat (stencil_2d)", "global loads"),
    "memory/layer_norm": ("LayerNorm (norms), f32", "global loads, shuffles"),
    "memory/rms_norm_bf16": ("RmsNormBf16 (norms)", "vector loads, bf16"),
    "shared/sgemm_128": ("Sgemm128 (sgemm_f32)", "vector loads and stores of shared memory"),
    "shared/sgemm_guarded": ("SgemmGuarded (sgemm_f32)", "shared memory, barriers"),
    "shared/bitonic_sort": ("SortShared (bitonic_sort)", "shared memory, barriers"),
    "shared/transpose": ("TransposeSwizzled (shared_memory)", "global and shared memory only"),
    "divergent/mandelbrot": ("Mandelbrot (fractals), f32", "divergent loops"),
    "divergent/buddhabrot": ("Buddhabrot (fractals)", "divergent loops, atomics"),
    "divergent/newton": ("Newton (fractals), f64", "divergent loops"),
    "warp/sort": ("SortWarp (bitonic_sort)", "shuffles"),
    "atomic/byte_histogram": ("ByteHistogram (histogram)", "atomics on shared memory"),
    "half/julia": ("JuliaHalf (fractals), f16x2", "divergent loops, halves"),
}


def _measure_interpreter(root):
    cases, _ = commands.benchmark(root, "interpreter_benchmark")
    return {name: {"million_a_second": cases[name]["thread_instrs"] / 1e6, "lanes": cases[name]["lanes"]}
            for name in _KERNELS}


def _interpreter_tables(results):
    return [[["kernel", "million a second", "lanes", "what it stresses"],
             *([_KERNELS[name][0], f"{of['million_a_second']:.0f}", f"{of['lanes']:.0f}", _KERNELS[name][1]]
               for name, of in results.items())]]


def _public_section(programs, folder):
    """Returns the section of these programs of bench/public_kernels."""
    compiler = f"bench/public_kernels/compile.py --only={programs}"
    return Section([f"{compiler} SOURCES FOLDER", "bench/registers.py --nvcc=none --budgets=default,32,40,64 FOLDER"],
                   _measure_compiled(f"{compiler} .cache/public_sources", folder, _PUBLIC), _option_set_tables(""))


SECTIONS = {
    "registers": Section(
        ["bazel build -c opt //tools:ptxmir",
         "bench/registers.py --budgets=default,32,40,64 --html=page.html --csv=kernels.csv --json=kernels.json"],
        _measure_registers([]), _register_tables),
    "mechanisms": Section(
        ["bench/registers.py --nvcc=none --budgets=default,32,40,64 --options \"all=-O2\" \\",
         "    --options \"no-remat=-O2 -nv-disable-remat\"    # and so on"],
        _measure_option_sets("", _MECHANISMS), _option_set_tables("change")),
    "held-out": Section(
        ["bench/registers.py --budgets=default,32,40,64 tests/corpus/{" + ",".join(HELD_OUT) + "}.mir"],
        _measure_registers([f"tests/corpus/{unit}.mir" for unit in HELD_OUT]), _register_tables),
    "toolkit": Section(
        ["bench/toolkit_kernels/compile.sh FOLDER",
         "bench/registers.py --nvcc=none --budgets=default,32,40,64 FOLDER"],
        _measure_compiled("bench/toolkit_kernels/compile.sh", ".cache/toolkit_kernels", _TOOLKIT), _option_set_tables("")),
    "public": _public_section("darknet,faiss,gromacs,lammps,relion", ".cache/public_kernels"),
    "pytorch": _public_section("pytorch", ".cache/pytorch_kernels"),
    "autotune": Section(
        ["bench/registers.py --nvcc=none --budgets=default,32,40,64 --options \"default=-O2\" \\",
         "    --options \"as-llc=-O2 ...\"    # and so on"],
        _measure_autotune, _autotune_tables),
    "spilling": Section(
        ["bench/registers.py --nvcc=none --budgets=32 --options \"never=-O2\" \\",
         "    --options \"much=-O2 -ra-spill-excess=190\""],
        _measure_spilling, _spilling_tables),
    "compile-time": Section(
        ["bazel build -c opt //tools:ptxmir //bench:generate_mir",
         "bench/compare_with_llc.py --runs 3",
         "bench/compare_with_llc.py --runs 3 tests/corpus/*.mir"],
        _measure_compile_time, _compile_time_tables),
    "compile-levels": Section(
        ["bazel build -c opt //tools:ptxmir //bench:generate_mir",
         *(f"bench/compare_with_llc.py --level=2 {options}" for options in _LEVEL_INPUTS.values())],
        _measure_levels, _level_tables),
    "scaling": Section(
        ["bazel build -c opt //tools:ptxmir //bench:generate_mir", "bench/scaling.py --level=2"],
        _measure_scaling, _scaling_tables),
    "threads": Section(
        ["bazel build -c opt //tools:ptxmir //bench:generate_mir", "bench/thread_scaling.py --runs 6"],
        _measure_threads, _thread_tables),
    "passes": Section(["bazel run -c opt //bench:pipeline_benchmark"], _measure_passes, _pass_tables),
    "allocation": Section(
        ["bazel build -c opt //tools:ptxmir //bench:generate_mir",
         "bazel-bin/bench/generate_mir 1000000 1 > big.mir",
         "bazel-bin/tools/ptxmir -run-pass=phi-node-elimination,twoaddressinstruction,greedy -ra-spill=always \\",
         "    -ra-limit=8 big.mir -o /dev/null -stats"],
        _measure_allocation, _allocation_tables),
    "live-intervals": Section(["bazel run -c opt //bench:live_intervals_benchmark"], _measure_live_intervals,
                              _live_interval_tables),
    "pressure": Section(["bazel run -c opt //bench:machine_register_pressure_benchmark"], _measure_pressure,
                        _pressure_tables),
    "interpreter": Section(["bazel build -c opt //bench:interpreter_benchmark && bazel-bin/bench/interpreter_benchmark"],
                           _measure_interpreter, _interpreter_tables),
}

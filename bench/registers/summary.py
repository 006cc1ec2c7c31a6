# SPDX-License-Identifier: Apache-2.0

"""Sums and ratios over rows (harness.py), and their distance from the targets.

Ratios are ours to theirs, so less than 1 means that we use fewer. Registers are compared by the geometric mean of the
ratios of all kernels. Spill bytes are compared in total, and by the geometric mean of bytes + 4, so that kernels
without spills count too.
"""

import math
import statistics

# The targets for ptxmir relative to llc from the same MIR: (required, desired).
REGISTERS_MARK = (0.95, 0.92)
SPILL_MARK = (0.85, 0.75)
SPILL_MARK_BUDGETS = ("32", "40", "64")
REMAT_PASS = "nvptx-remat-block"
# The statistics (`ptxmir -stats`) that count rematerialized instructions.
REMATERIALIZED = (REMAT_PASS + ": instructions cloned", "greedy: instructions rematerialized",
                  "register-coalescer: copies of constants recomputed")
REMAT_FALL_MARK = 0.15  # of max-live by rematerialization alone, where it is above the target

_PAIRS = (("ptxmir", "llc"), ("ptxmir", "nvcc"), ("llc", "nvcc"))


def pairs_of(rows):
    """Returns the pairs of tools to compare: those of _PAIRS, and each variant of llc with llc."""
    names = dict.fromkeys(name for row in rows for name in row if name.startswith("llc-"))
    return [*_PAIRS, *((name, "llc") for name in names)]


def geometric_mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios)) if ratios else None


def ratio(a, b):
    return a / b if b else None


def compare(rows, ours, theirs):
    """Compares a pair of tools over the rows that both have. Returns None if there are none."""
    pairs = [(row[ours], row[theirs]) for row in rows
             if row.get(ours) and row.get(theirs) and row[ours].get("registers") and row[theirs].get("registers")]
    if not pairs:
        return None

    def counts(name, is_better):
        known = [(a[name], b[name]) for a, b in pairs if name in a and name in b]
        better = sum(is_better(a, b) for a, b in known)
        worse = sum(is_better(b, a) for a, b in known)
        return {"better": better, "equal": len(known) - better - worse, "worse": worse}

    def total(side, name):
        return sum(pair[side].get(name, 0) for pair in pairs)

    fewer = lambda a, b: a < b
    return {
        "kernels": len(pairs),
        "registers": {
            "geomean": geometric_mean([a["registers"] / b["registers"] for a, b in pairs]),
            **counts("registers", fewer),
        },
        "spills": {
            "ours": total(0, "spill_bytes"),
            "theirs": total(1, "spill_bytes"),
            "ratio": ratio(total(0, "spill_bytes"), total(1, "spill_bytes")),
            "geomean": geometric_mean([(a["spill_bytes"] + 4) / (b["spill_bytes"] + 4) for a, b in pairs]),
            "kernels_ours": sum(a["spill_bytes"] > 0 for a, _ in pairs),
            "kernels_theirs": sum(b["spill_bytes"] > 0 for _, b in pairs),
            **counts("spill_bytes", fewer),
        },
        "stack": {"ours": total(0, "stack"), "theirs": total(1, "stack"), **counts("stack", fewer)},
        "occupancy": counts("warps", lambda a, b: a > b),
    }


def compare_times(seconds, options, budget, ours, theirs):
    """Returns the total CPU seconds over the files that both compiled."""
    a = seconds.get((ours, options if ours == "ptxmir" else "", budget), {})
    b = seconds.get((theirs, options if theirs == "ptxmir" else "", budget), {})
    files = a.keys() & b.keys()
    if not files:
        return None
    total_a, total_b = sum(a[file] for file in sorted(files)), sum(b[file] for file in sorted(files))
    return {"files": len(files), "ours": total_a, "theirs": total_b, "ratio": ratio(total_a, total_b)}


def rematerialization_falls(kernels):
    """Returns by which fraction the rematerialization pass lowered max-live, for each kernel that was above its target
    there. The steps of a function list only passes that changed it. If no kernel has the step, the pass did not run."""
    ran = any(step["pass"] == REMAT_PASS for figures in kernels for step in figures["steps"])
    falls = []
    for figures in kernels if ran else ():
        steps = figures["steps"]
        pairs = [(a["max_live"], b["max_live"]) for a, b in zip(steps, steps[1:]) if b["pass"] == REMAT_PASS]
        before, after = pairs[0] if pairs else (figures["max_live"], figures["max_live"])
        if "target" in figures and before > figures["target"]:
            falls.append(1 - after / before)
    return falls


def own_figures(rows, statistics_of_passes):
    """Returns the totals of ptxmir itself over the kernels of a setting."""
    ours = [row["ptxmir"] for row in rows if row["ptxmir"]]
    known = [figures for figures in ours if "max_live" in figures]
    falls = rematerialization_falls(known)
    executed = [f for f in known if f.get("executed_input")]
    return {
        "kernels": len(ours),
        "max_live_input": sum(f["max_live_input"] for f in known) if known else None,
        "max_live": sum(f["max_live"] for f in known) if known else None,
        "above_target": sum(f["max_live_input"] > f["target"] for f in known if "target" in f),
        "median_rematerialization_fall": statistics.median(falls) if falls else None,
        "own_spill_bytes": sum(f.get("own_spill_stores", 0) + f.get("own_spill_loads", 0) for f in ours),
        "rematerialized": sum(statistics_of_passes.get(name, 0) for name in REMATERIALIZED),
        "executed_ratio": ratio(sum(f["executed"] for f in executed), sum(f["executed_input"] for f in executed)),
        "registers": sum(f.get("registers", 0) for f in ours),
        "spill_bytes": sum(f["spill_bytes"] for f in ours),
        "stack": sum(f.get("stack", 0) for f in ours),
    }


def summarize(run, option_sets, budgets):
    """Returns a list of settings: {"options", "budget", "own", "pairs"}, where a pair is {"ours", "theirs", "all",
    "high_pressure", "time"}."""
    settings = []
    for options in option_sets:
        for budget in budgets:
            rows = [row for row in run.rows if row["options"] == options and row["budget"] == budget]
            setting = {"options": options, "budget": budget, "pairs": [],
                       "own": own_figures(rows, run.statistics.get((options, budget), {}))}
            for ours, theirs in pairs_of(rows):
                everything = compare(rows, ours, theirs)
                if everything is not None:
                    setting["pairs"].append({
                        "ours": ours, "theirs": theirs, "all": everything,
                        "high_pressure": compare([row for row in rows if row["high_pressure"]], ours, theirs),
                        "time": compare_times(run.seconds, options, budget, ours, theirs),
                    })
            settings.append(setting)
    return settings


def marks(settings):
    """Compares the figures relative to llc with the targets. Returns [{"options", "what", "value", "asked", "further",
    "reached"}]."""
    found = []

    def add(setting, what, value, asked, further=None, more_is_better=False):
        if value is not None:
            reached = value >= asked if more_is_better else value <= asked
            found.append({"options": setting["options"], "what": what, "value": value, "asked": asked,
                          "further": further, "reached": reached})

    for setting in settings:
        budget = setting["budget"]
        own = setting["own"]
        pair = next((pair for pair in setting["pairs"] if (pair["ours"], pair["theirs"]) == ("ptxmir", "llc")), None)
        if pair is not None:
            high, everything = pair["high_pressure"], pair["all"]
            if budget == "default":
                if high is not None:
                    add(setting, "high-pressure kernels, no limit: registers, geomean", high["registers"]["geomean"],
                        *REGISTERS_MARK)
                add(setting, "all kernels, no limit: kernels with more spill bytes", everything["spills"]["worse"], 0)
                add(setting, "all kernels, no limit: kernels at a lower occupancy", everything["occupancy"]["worse"], 0)
            elif budget in SPILL_MARK_BUDGETS and high is not None:
                add(setting, f"high-pressure kernels, {budget} registers: spill bytes, total", high["spills"]["ratio"],
                    *SPILL_MARK)
                add(setting, f"high-pressure kernels, {budget} registers: spill bytes, geomean",
                    high["spills"]["geomean"], *SPILL_MARK)
        add(setting, f"kernels above their target, budget {budget}: median fall of max-live by rematerialization",
            own["median_rematerialization_fall"], REMAT_FALL_MARK, more_is_better=True)
    return found

# SPDX-License-Identifier: Apache-2.0

"""JOINED_GROUPS: the libraries that the release build and its like compile as one file together.

Four libraries in one file take a quarter less of the compiler's time than four files: they read headers and instantiate
templates once. A group has what takes about half a minute. No group may depend on itself through libraries of another, which
Bazel reports as a cycle.
"""

def _group(libraries, is_small = False):
    return struct(
        libraries = ["//" + library for library in libraries],
        is_small = is_small,
    )

JOINED_GROUPS = {
    "code": _group([
        "base:base",
        "ir:ir",
        "ir/code:code",
        "mir/code:code",
    ]),
    "text": _group([
        "ir/link:link",
        "ir/text:text",
        "ir/upgrade:upgrade",
        "ptx/writer:writer",
    ]),
    "mir": _group([
        "ir/passes/support:support",
        "ir/verify:verify",
        "mir/text:text",
        "mir/upgrade:upgrade",
        "mir/verify:verify",
        "ptx/target:target",
    ]),
    "options": _group(
        [
            "ir/frequency:frequency",
            "options:options",
            "ptx/dwarf:dwarf",
            "ptx/interpreter/code:code",
        ],
        is_small = True,
    ),
    "analysis": _group([
        "analysis:analysis",
        "analysis/control_flow:control_flow",
        "analysis/frequency:frequency",
        "analysis/liveness:liveness",
        "analysis/pressure:pressure",
        "analysis/values:values",
        "passes:passes",
        "passes/support:support",
    ]),
    "ir_passes": _group(
        [
            "ir/passes/globals:globals",
            "ir/passes/ipo:ipo",
            "ir/passes/nvptx:nvptx",
        ],
        is_small = True,
    ),
    "ir_scalar": _group(["ir/passes/scalar:scalar"]),
    "interpreter": _group(
        [
            "ptx/interpreter:interpreter",
            "ptx/interpreter/decode:decode",
            "ptx/interpreter/exec:exec",
            "ptx/interpreter/semantics:semantics",
        ],
        is_small = True,
    ),
    "scalar_semantics": _group([
        "ptx/interpreter/memory:memory",
        "ptx/interpreter/scalar:scalar",
    ]),
    "graph": _group([
        "sdag/emit:emit",
        "sdag/graph:graph",
        "sdag/text:text",
    ]),
    "lowering": _group([
        "sdag/combine:combine",
        "sdag/legalize:legalize",
        "sdag/select:select",
        "sdag/from_ir:from_ir",  # last, because in it opcodes are those of IR
    ]),
    "values": _group([
        "passes/addresses:addresses",
        "passes/integers:integers",
        "passes/lower:lower",
        "passes/memory:memory",
        "passes/nvptx:nvptx",
        "passes/peephole:peephole",
    ]),
    "motion": _group([
        "passes/control_flow:control_flow",
        "passes/copies:copies",
        "passes/motion:motion",
        "passes/ssa:ssa",
    ]),
    "registers": _group([
        "passes/allocate:allocate",
        "passes/allocate/assignment:assignment",
        "passes/allocate/spill:spill",
        "passes/allocate/split:split",
        "passes/out_of_ssa:out_of_ssa",
        "passes/remat:remat",
        "passes/schedule:schedule",
        "passes/schedule/dag:dag",
    ]),
    "reports": _group(
        [
            "passes/combine:combine",
            "passes/equivalence:equivalence",
            "passes/frame:frame",
            "passes/outline:outline",
            "passes/register_check:register_check",
            "passes/report:report",
            "sdag/meaning:meaning",
        ],
        is_small = True,
    ),
    "pipeline": _group(
        [
            "passes/layout:layout",
            "passes/pipeline:pipeline",
            "passes/pipeliner:pipeliner",
            "passes/ptxas_model:ptxas_model",
            "passes/run:run",
        ],
        is_small = True,
    ),
    "compiler": _group(
        [
            "compiler:compilation",
            "compiler:driver_options",
            "compiler:ir_input",
            "compiler:progress",
            "compiler:select_module",
            "sdag/expand:expand",
            "sdag/verify:verify",
            "sdag:sdag",
            "tools/explore:explore",
            "tools:driver",
            "tools:occupancy_report",
            "tools:trial",
        ],
        is_small = True,
    ),
    "programs": _group(
        [
            "tools/support:external_programs",
            "tools/support:ptxas",
            "tools/support:tool_version",
        ],
        is_small = True,
    ),
}

# The name of the group that a library is in.
JOINED_GROUP_OF = {
    library: name
    for name, group in JOINED_GROUPS.items()
    for library in group.libraries
}

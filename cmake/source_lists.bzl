# SPDX-License-Identifier: Apache-2.0

"""source_lists: what the CMake build has to know of the BUILD files, as CMake.

The BUILD files say once which files belong to the library and the tests, and how others are generated. This writes that down
for CMake; sources.cmake is a copy of what it writes, which a test compares.
"""

# `own`: the sources of the target itself. `always`: those of libraries with alwayslink. `test`: of a test.
_FilesInfo = provider(fields = ["sources", "headers", "generated_by", "own", "always", "generator", "test"])

# How CMake names the programs that tests run.
_PROGRAMS = {"tools/ptxmir": "$<TARGET_FILE:ptxmir_tool>"}

_SOURCE_DIR = "${PROJECT_SOURCE_DIR}/"
_GENERATED_DIR = "${PTXMIR_GENERATED_DIR}/"

def _path(file):
    return file.short_path if file.is_source else _GENERATED_DIR + file.short_path

def _absolute_path(file):
    return (_SOURCE_DIR if file.is_source else _GENERATED_DIR) + file.short_path

def _all_paths(files):
    return " ".join([_absolute_path(file) for file in files])

# The command with `path` where it asks for the location of a label.
def _locate(command, label, package, path):
    names = [":" + label.name, "//%s:%s" % (label.package, label.name)]
    if label.package == package:
        names.append(label.name)
    for name in names:
        command = command.replace("$(location %s)" % name, path)
    return command

# A genrule, with the command that CMake runs.
def _describe_generator(target, ctx):
    tools = [source for source in ctx.rule.attr.srcs if source.files_to_run.executable and not source.files_to_run.executable.is_source]
    if len(tools) != 1:
        fail("%s: one generator is expected among the sources" % target.label)
    tool = tools[0]
    package = target.label.package
    inputs = [file for source in ctx.rule.attr.srcs if source != tool for file in source.files.to_list()]
    outputs = target.files.to_list()
    command = _locate(ctx.rule.attr.cmd, tool.label, package, tool.label.name)
    for source in ctx.rule.attr.srcs:
        if source == tool:
            continue
        command = _locate(command, source.label, package, _all_paths(source.files.to_list()))
    for file in outputs:
        label = Label("//%s:%s" % (package, file.short_path[len(package) + 1:]))
        command = _locate(command, label, package, _absolute_path(file))
    command = command.replace("$(SRCS)", _all_paths(inputs)).replace("$(OUTS)", _all_paths(outputs))
    if len(outputs) == 1:
        command = command.replace("$@", _absolute_path(outputs[0]))
    for syntax in ["$(", "$@", ">", "<", ";", "&", "|"]:
        if syntax in command:
            fail("%s: CMake cannot run this command: %s" % (target.label, command))
    return struct(
        tool = tool.label.name,
        sources = tool[_FilesInfo].sources.to_list(),
        inputs = inputs,
        outputs = outputs,
        command = command,
    )

# A test: its own sources, its arguments as CMake has them, and the files built by Bazel that it reads.
def _describe_test(target, ctx):
    files = {}
    for group in [ctx.rule.attr.srcs, ctx.rule.attr.data]:
        for source in group:
            for file in source.files.to_list():
                files[file.short_path] = file
    args = []
    for arg in ctx.rule.attr.args:
        if arg.startswith("$(rootpath "):
            label = arg[len("$(rootpath "):-1]
            package, _, name = label.rpartition(":") if ":" in label else ("", "", label)
            path = (package[2:] or target.label.package) + "/" + name
            if package in ["//"]:
                path = name
            arg = _PROGRAMS.get(path, path)
        args.append(arg)
    return struct(
        sources = [file for source in ctx.rule.attr.srcs for file in source.files.to_list() if file.extension != "h"],
        args = args,
        built = [path for path, file in files.items() if not file.is_source and path not in _PROGRAMS],
        uses_tool = any([path in _PROGRAMS for path in files]),
        is_script = ctx.rule.kind == "sh_test",
    )

def _collect_impl(target, ctx):
    sources = []
    headers = []
    generated_by = []
    for attribute in ["srcs", "hdrs", "textual_hdrs"]:
        for dependency in getattr(ctx.rule.attr, attribute, []):
            for file in dependency.files.to_list():
                if not file.is_source:
                    generated_by.append(str(file.owner))
                if file.extension == "cc":
                    sources.append(file)
                elif attribute != "srcs":
                    headers.append(file)
    always = [file for file in sources if getattr(ctx.rule.attr, "alwayslink", False)]
    below = [d[_FilesInfo] for d in getattr(ctx.rule.attr, "deps", []) if _FilesInfo in d]
    return [_FilesInfo(
        sources = depset(sources, transitive = [b.sources for b in below]),
        headers = depset(headers, transitive = [b.headers for b in below]),
        generated_by = depset(generated_by, transitive = [b.generated_by for b in below]),
        own = sources,
        always = depset(always, transitive = [b.always for b in below]),
        generator = _describe_generator(target, ctx) if ctx.rule.kind == "genrule" else None,
        test = _describe_test(target, ctx) if ctx.rule.kind in ["cc_test", "sh_test"] else None,
    )]

_collect = aspect(implementation = _collect_impl, attr_aspects = ["deps", "srcs", "actual"])

def _list(name, files):
    return "set(%s\n%s)\n" % (name, "".join(["  %s\n" % path for path in sorted([_path(file) for file in files])]))

def _generate(generator):
    text = "\nptxmir_generate(%s\n" % generator.tool
    text += "  SOURCES\n    %s\n" % "\n    ".join(sorted([_path(file) for file in generator.sources]))
    text += "  INPUTS\n    %s\n" % "\n    ".join([_path(file) for file in generator.inputs])
    text += "  OUTPUTS\n    %s\n" % "\n    ".join([_path(file) for file in generator.outputs])
    return text + "  COMMAND\n    %s)\n" % "\n    ".join(generator.command.split(" "))

def _test_name(label):
    return label.package + "/" + label.name

# The tools. Code that several of them need is one library.
def _tools(ctx, in_library):
    own = {file: True for tool in ctx.attr.tools for file in tool[_FilesInfo].own}
    shared = depset(transitive = [tool[_FilesInfo].sources for tool in ctx.attr.tools]).to_list()
    text = "\n# What the tools share.\n"
    text += _list("PTXMIR_TOOL_SOURCES", [file for file in shared if file not in in_library and file not in own])
    text += "\nfunction(ptxmir_add_tools)\n"
    for tool in ctx.attr.tools:
        text += "  ptxmir_tool(%s)\n" % " ".join([tool.label.name] + sorted([_path(file) for file in tool[_FilesInfo].own]))
    return text + "endfunction()\n"

# The tests. Code that several of them need is one library. Tests of the same sources, with other arguments, are one program.
def _tests(ctx, in_library, generators):
    text = ""
    programs = {}
    support = {}
    own = {}
    for test in ctx.attr.tests:
        info = test[_FilesInfo]
        name = _test_name(test.label)
        foreign = [label for label in info.generated_by.to_list() if label not in generators] + info.test.built
        if foreign:
            text += "  # %s needs what only Bazel makes: %s\n" % (name, foreign[0])
            continue
        call = [name]
        if info.test.is_script:
            call.append("SCRIPT " + info.test.sources[0].short_path)
        else:
            mine = [file for file in info.test.sources + info.always.to_list() if file.extension == "cc"]
            for file in mine:
                own[file] = True
            for file in info.sources.to_list():
                support[file] = True
            paths = sorted([_path(file) for file in mine])
            program = programs.setdefault(" ".join(paths), name)
            call.append("PROGRAM " + program.replace("/", "."))
            if program == name:
                call += ["SOURCES"] + paths
        if info.test.uses_tool:
            call.append("USES_TOOL")
        if info.test.args:
            call += ["ARGS"] + info.test.args
        text += "  ptxmir_test(%s)\n" % "\n    ".join(call)
    rest = [file for file in support if file not in in_library and file not in own]
    return "\n# What tests share.\n" + _list("PTXMIR_TEST_SOURCES", rest) + "\nfunction(ptxmir_add_tests)\n" + text + "endfunction()\n"

def _source_lists_impl(ctx):
    library = depset(transitive = [d[_FilesInfo].sources for d in ctx.attr.library]).to_list()
    headers = depset(transitive = [d[_FilesInfo].headers for d in ctx.attr.library]).to_list()
    in_library = {file: True for file in library}
    generators = {str(generator.label): generator[_FilesInfo].generator for generator in ctx.attr.generators}
    used = {}
    for target in ctx.attr.library + ctx.attr.tools:
        for label in target[_FilesInfo].generated_by.to_list():
            if label not in generators:
                fail("%s makes files of the library and is not among the generators" % label)
            used[label] = True

    text = "# Made from the BUILD files by //cmake:sources, with which a test compares it. cmake/update brings it up to date.\n\n"
    text += _list("PTXMIR_LIBRARY_SOURCES", library) + "\n"
    text += "# What programs include.\n"
    text += _list("PTXMIR_PUBLIC_HEADERS", [file for file in headers if file.short_path.startswith("include/")]) + "\n"
    text += "# What their passes include besides.\n"
    folders = {folder: True for folder in ctx.attr.pass_header_folders}
    text += _list("PTXMIR_PASS_HEADERS", [file for file in headers if file.short_path.rpartition("/")[0] in folders])
    for label, generator in generators.items():
        if label in used:
            text += _generate(generator)
    text += _tools(ctx, in_library)
    text += _tests(ctx, in_library, generators)
    ctx.actions.write(ctx.outputs.out, text)

# The lists tell which files each target needs by itself, which is seen where sources are not joined (cc.bzl).
def _separate_sources_impl(settings, attr):
    return {"//command_line_option:compilation_mode": "dbg"}

_separate_sources = transition(
    implementation = _separate_sources_impl,
    inputs = [],
    outputs = ["//command_line_option:compilation_mode"],
)

source_lists = rule(
    implementation = _source_lists_impl,
    attrs = {
        "library": attr.label_list(aspects = [_collect], cfg = _separate_sources),
        "tools": attr.label_list(aspects = [_collect], cfg = _separate_sources),
        # The genrules that make files of either, in an order in which they can run.
        "generators": attr.label_list(aspects = [_collect], cfg = _separate_sources),
        "pass_header_folders": attr.string_list(),
        "tests": attr.label_list(aspects = [_collect], cfg = _separate_sources),
        "out": attr.output(),
        # Bazel asks for it where a rule sets the mode of others.
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

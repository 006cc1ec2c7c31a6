# SPDX-License-Identifier: Apache-2.0

"""mutated_sources: copies of a library's sources with bugs in them that can be switched on (README.md).

They come as one folder, since only the files of bugs say which sources there are copies of. The sources are found by an
aspect, so that no package has to export its files to a test.
"""

load("//:joined_sources.bzl", "JoinedSourcesInfo")

# `joined` has, for each library that is compiled as one file, the paths of its sources with commas between them.
_SourcesInfo = provider(fields = ["sources", "joined"])

def _collect_impl(target, ctx):
    own = []
    joined = []
    for source in getattr(ctx.rule.attr, "srcs", []):
        if JoinedSourcesInfo in source:
            files = source[JoinedSourcesInfo].sources
            joined.append(",".join([file.path for file in files]))
            own += files
        else:
            own += [file for file in source.files.to_list() if file.is_source and file.extension == "cc"]
    below = [dep[_SourcesInfo] for dep in getattr(ctx.rule.attr, "deps", []) if _SourcesInfo in dep]
    return [_SourcesInfo(
        sources = depset(own, transitive = [info.sources for info in below]),
        joined = depset(joined, transitive = [info.joined for info in below]),
    )]

_collect = aspect(implementation = _collect_impl, attr_aspects = ["deps"])

def _mutated_sources_impl(ctx):
    # Named like a C++ source, by which Bazel tells whether --cxxopt is for what is in the folder.
    folder = ctx.actions.declare_directory(ctx.label.name + ".cc")
    arguments = ctx.actions.args()
    arguments.add(folder.path)
    arguments.add_all(ctx.attr.library[_SourcesInfo].joined, format_each = "--joined=%s")
    arguments.add_all(ctx.files.bugs)
    ctx.actions.run(
        mnemonic = "PlantBugs",
        progress_message = "Planting bugs in the sources of %s" % ctx.attr.library.label,
        executable = ctx.file._plant_bugs,
        arguments = [arguments],
        inputs = depset(ctx.files.bugs, transitive = [ctx.attr.library[_SourcesInfo].sources]),
        outputs = [folder],
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([folder]))]

mutated_sources = rule(
    implementation = _mutated_sources_impl,
    attrs = {
        # What the bugs are.
        "bugs": attr.label_list(allow_files = [".txt"]),
        # Has the sources, by itself or through what it depends on.
        "library": attr.label(aspects = [_collect]),
        "_plant_bugs": attr.label(
            default = "//tests/mutation:plant_bugs.py",
            allow_single_file = True,
        ),
    },
)

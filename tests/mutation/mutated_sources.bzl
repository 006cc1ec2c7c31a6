# SPDX-License-Identifier: Apache-2.0

"""mutated_sources: copies of a library's sources with bugs in them that can be switched on (README.md).

They come as one folder, since only the files of bugs say which sources there are copies of. The sources are found by an
aspect, so that no package has to export its files to a test.
"""

load("//:joined_sources.bzl", "JoinedSourcesInfo")

_SourcesInfo = provider(fields = ["sources"])

def _collect_impl(target, ctx):
    own = []
    for source in getattr(ctx.rule.attr, "srcs", []):
        files = source[JoinedSourcesInfo].sources if JoinedSourcesInfo in source else source.files.to_list()
        own += [file for file in files if file.is_source and file.extension == "cc"]
    below = [dep[_SourcesInfo].sources for dep in getattr(ctx.rule.attr, "deps", []) if _SourcesInfo in dep]
    return [_SourcesInfo(sources = depset(own, transitive = below))]

_collect = aspect(implementation = _collect_impl, attr_aspects = ["deps"])

def _mutated_sources_impl(ctx):
    # Named like a C++ source, by which Bazel tells whether --cxxopt is for what is in the folder.
    folder = ctx.actions.declare_directory(ctx.label.name + ".cc")
    ctx.actions.run(
        mnemonic = "PlantBugs",
        progress_message = "Planting bugs in the sources of %s" % ctx.attr.library.label,
        executable = ctx.file._plant_bugs,
        arguments = [ctx.actions.args().add(folder.path).add_all(ctx.files.bugs)],
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

# SPDX-License-Identifier: Apache-2.0

"""joined_sources: the sources of a library as one file.

More than half of the time that a compiler takes for a file of this project goes into headers. What is joined reads them once
for the whole library. Names in anonymous namespaces must differ then between the files of a library.
"""

JoinedSourcesInfo = provider("What was joined.", fields = ["sources"])

# Writes all files into the last one. Messages of the compiler name the original lines.
_COMMAND = """
for arg; do out=$arg; done
for arg; do
  test "$arg" = "$out" || { echo "#line 1 \\"$arg\\"" && cat "$arg"; } || exit 1
done >"$out"
"""

def _joined_sources_impl(ctx):
    joined = ctx.actions.declare_file(ctx.label.name + ".cc")
    arguments = ctx.actions.args()
    arguments.add_all(ctx.files.srcs)
    arguments.add(joined)
    ctx.actions.run_shell(
        mnemonic = "JoinSources",
        progress_message = "Joining the sources of //" + ctx.label.package,
        command = _COMMAND,
        arguments = [arguments],
        inputs = ctx.files.srcs,
        outputs = [joined],
    )
    return [
        DefaultInfo(files = depset([joined])),
        JoinedSourcesInfo(sources = ctx.files.srcs),
    ]

joined_sources = rule(
    implementation = _joined_sources_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cc"]),
    },
)

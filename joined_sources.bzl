# SPDX-License-Identifier: Apache-2.0

"""joined_sources: the sources of one or several libraries as one file, beside their headers.

More than half of the time that a compiler takes for a file of this project goes into headers. What is joined reads them once.
Names in anonymous namespaces must differ then between the files.
"""

JoinedSourcesInfo = provider("The files that were joined.", fields = ["sources"])

# Writes all files into the last one. Messages of the compiler name the original lines.
_COMMAND = """
for arg; do out=$arg; done
for arg; do
  test "$arg" = "$out" || { echo "#line 1 \\"$arg\\"" && cat "$arg"; } || exit 1
done >"$out"
"""

def _joined_sources_impl(ctx):
    joined = ctx.actions.declare_file(ctx.label.name + ".cc")
    sources = [file for file in ctx.files.srcs if file.extension == "cc"]
    headers = [file for file in ctx.files.srcs if file.extension != "cc"]
    arguments = ctx.actions.args()
    arguments.add_all(sources)
    arguments.add(joined)
    ctx.actions.run_shell(
        mnemonic = "JoinSources",
        progress_message = "Joining %s" % joined.short_path,
        command = _COMMAND,
        arguments = [arguments],
        inputs = sources,
        outputs = [joined],
    )
    return [
        DefaultInfo(files = depset([joined] + headers)),
        JoinedSourcesInfo(sources = sources),
    ]

joined_sources = rule(
    implementation = _joined_sources_impl,
    attrs = {
        # Files ending in .cc and headers.
        "srcs": attr.label_list(allow_files = True),
    },
)

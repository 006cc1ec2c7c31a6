# SPDX-License-Identifier: Apache-2.0

"""compiled_library: a library as Bazel has compiled it, for CMake to link and to install (PTXMIR_OBJECTS in CMakeLists.txt).

What it builds is a script for `cmake -C`, which names the objects. They are position independent, for a static and a shared
library.
"""

def _compiled_library_impl(ctx):
    objects = {}
    for dependency in ctx.attr.deps:
        for linker_input in dependency[CcInfo].linking_context.linker_inputs.to_list():
            for library in linker_input.libraries:
                for file in library.pic_objects or library.objects or []:
                    objects[file] = True
    headers = depset(transitive = [d[CcInfo].compilation_context.headers for d in ctx.attr.deps]).to_list()
    headers = [file for file in headers if file.extension in ["h", "inc"] and not file.short_path.startswith("../")]
    script = ctx.actions.declare_file(ctx.label.name + ".cmake")
    root = "${CMAKE_CURRENT_LIST_DIR}" + "/.." * len(ctx.label.package.split("/"))
    checked = "OFF" if ctx.var["COMPILATION_MODE"] == "opt" else "ON"
    ctx.actions.write(script, """# What Bazel compiled, for `cmake -C`.
set(PTXMIR_CHECKED %s CACHE BOOL "")
set(PTXMIR_GENERATED_DIR "%s" CACHE PATH "")
set(PTXMIR_OBJECTS
%s
  CACHE STRING "")
""" % (checked, root, "\n".join(["  \"%s/%s\"" % (root, file.short_path) for file in objects])))
    generated = [file for file in headers if not file.is_source]
    return [DefaultInfo(
        files = depset([script] + objects.keys() + generated),
        runfiles = ctx.runfiles(files = [script] + objects.keys() + headers),
    )]

compiled_library = rule(
    implementation = _compiled_library_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)

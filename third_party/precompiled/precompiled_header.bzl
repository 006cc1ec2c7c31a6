# SPDX-License-Identifier: Apache-2.0

"""precompiled_header: headers of other projects, parsed once for all that is compiled with the same flags.

More than half of the time that GCC takes for a file of this project goes into the headers of the standard library, Abseil
and GoogleTest. GCC checks itself that a precompiled header was made with flags like those of its user, and reads the text
where it was not; other compilers always read the text.

cc.bzl hands the header to every file. With --config=own_headers nothing is precompiled: there a file that includes too little
does not compile.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.symlink(output = header, target_file = ctx.files.srcs[0])
    files = [header]
    toolchain = find_cpp_toolchain(ctx)
    if toolchain.compiler in ["gcc", "compiler"]:
        precompiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
        files.append(precompiled)
        features = cc_common.configure_features(
            ctx = ctx,
            cc_toolchain = toolchain,
            requested_features = ctx.features,
            unsupported_features = ctx.disabled_features,
        )
        flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts
        command = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = cc_common.create_compile_variables(
                cc_toolchain = toolchain,
                feature_configuration = features,
                source_file = header.path,
                output_file = precompiled.path,
                # As Bazel compiles what goes into programs.
                use_pic = (ctx.var["COMPILATION_MODE"] != "opt" and
                           toolchain.needs_pic_for_dynamic_libraries(feature_configuration = features)),
                quote_include_directories = depset([ctx.label.workspace_root or "."]),
                user_compile_flags = flags + ["-x", "c++-header"],
            ),
        )
        ctx.actions.run(
            mnemonic = "CppPrecompile",
            progress_message = "Precompiling " + header.short_path,
            executable = toolchain.compiler_executable,
            arguments = command,
            inputs = depset([header] + ctx.files.srcs, transitive = [toolchain.all_files]),
            outputs = [precompiled],
        )
    context = cc_common.create_compilation_context(headers = depset(files + ctx.files.srcs))
    return [
        DefaultInfo(files = depset([header])),
        CcInfo(compilation_context = context),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        # The header, and what it includes of this project.
        "srcs": attr.label_list(allow_files = [".h"]),
        "copts": attr.string_list(),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

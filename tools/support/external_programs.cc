// SPDX-License-Identifier: Apache-2.0

#include "tools/support/external_programs.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

std::string Getenv(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string FindProgram(std::string_view name, std::string folders) {
  std::istringstream in(folders);
  for (std::string folder; std::getline(in, folder, ':');) {
    const std::string path = StrCat(folder, "/", name);
    if (!folder.empty() && access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

}  // namespace

std::string FindLlc() { return FindProgram("llc-22", Getenv("PATH")); }

std::string FindRemarkutil() { return FindProgram("llvm-remarkutil-22", Getenv("PATH")); }

std::string FindOpt() { return FindProgram("opt-22", Getenv("PATH")); }

std::string FindPtxas() {
  return FindProgram("ptxas", StrCat(Getenv("PATH"), ":", Getenv("CUDA_HOME"), "/bin:/usr/local/cuda/bin"));
}

std::string QuotedForShell(std::string_view argument) {
  std::string out = "'";
  for (const char c : argument) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

bool RunCommand(const std::vector<std::string>& command, std::string& output) {
  std::string line;
  for (const std::string& word : command) StrAppend(&line, QuotedForShell(word), " ");
  line += "2>&1";
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return false;
  output.clear();
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    output.append(buffer, count);
  }
  return pclose(pipe) == 0;
}

}  // namespace ptxmir

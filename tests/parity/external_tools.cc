// SPDX-License-Identifier: Apache-2.0

#include "tests/parity/external_tools.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

#include "base/str_cat.h"

namespace ptxmir::testing {
namespace {

std::string Required(std::string path, std::string_view tool) {
  const char* required = std::getenv("PTXMIR_REQUIRE_PEERS");
  if (path.empty() && required != nullptr && std::string_view(required) == "1") {
    ADD_FAILURE() << tool << " was not found, and PTXMIR_REQUIRE_PEERS=1 asks for it";
  }
  return path;
}

}  // namespace

std::string FindLlc() { return Required(ptxmir::FindLlc(), "llc-22"); }

std::string FindPtxas() { return Required(ptxmir::FindPtxas(), "ptxas"); }

std::string FindRemarkutil() { return Required(ptxmir::FindRemarkutil(), "llvm-remarkutil-22"); }

std::string FindOpt() { return Required(ptxmir::FindOpt(), "opt-22"); }

namespace {

std::string Getenv(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string TestName(std::string_view stem) {
  std::string name(stem);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

std::vector<std::string> FilesWithEnding(std::string_view folder, std::string_view ending) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(folder), error)) {
    const std::string path = entry.path().string();
    if (std::string_view(path).ends_with(ending)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<std::string> LlcCommand(const std::string& llc, const InputFile& input) {
  std::vector<std::string> command = {llc, "-mtriple=nvptx64-nvidia-cuda", StrCat("-mcpu=", input.cpu)};
  if (!input.features.empty()) command.push_back(StrCat("-mattr=", input.features));
  return command;
}

std::vector<InputFile> CorpusFiles() {
  std::map<std::string, InputFile> manifest;
  std::ifstream in("tests/corpus/manifest.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::string name;
    InputFile file;
    std::getline(columns, name, '\t');
    std::getline(columns, file.cpu, '\t');
    std::getline(columns, file.features, '\t');
    if (file.features == "-") file.features.clear();
    manifest[name] = file;
  }
  std::vector<InputFile> files;
  for (const std::string& path : FilesWithEnding("tests/corpus", ".mir")) {
    const std::string stem = std::filesystem::path(path).stem().string();
    InputFile file = manifest[stem];
    if (file.cpu.empty()) file.cpu = "sm_80";
    file.path = path;
    file.name = TestName(stem);
    files.push_back(file);
  }
  return files;
}

std::vector<InputFile> IrFiles(std::string_view folder) {
  std::vector<InputFile> files;
  for (const std::string& path : FilesWithEnding(folder, ".ll")) {
    InputFile file;
    file.path = path;
    file.name = TestName(std::filesystem::path(path).stem().string());
    file.is_ir = true;
    file.cpu = "sm_80";
    const std::string text = ReadFile(path);
    const size_t at = text.find("; llc:");
    std::istringstream words(at == text.npos ? "" : text.substr(at, text.find('\n', at) - at));
    for (std::string word; words >> word;) {
      if (word.starts_with("-mcpu=")) file.cpu = word.substr(6);
      if (word.starts_with("-mattr=")) file.features = word.substr(7);
    }
    files.push_back(file);
  }
  return files;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

void WriteFile(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

std::string TemporaryPath(std::string_view name) {
  const std::string folder = Getenv("TEST_TMPDIR");
  return StrCat(folder.empty() ? "/tmp" : folder, "/", name);
}

std::string EmbeddedIr(std::string_view mir) {
  constexpr std::string_view kBegin = "--- |\n";
  if (!mir.starts_with(kBegin)) return "";
  std::istringstream in{std::string(mir.substr(kBegin.size()))};
  std::string ir;
  for (std::string line; std::getline(in, line) && line != "..." && line != "---";) {
    StrAppend(&ir, line.starts_with("  ") ? std::string_view(line).substr(2) : line, "\n");
  }
  return ir;
}

std::optional<std::string> RunLlcOn(const std::string& llc, const InputFile& input, std::string_view mir,
                                    const std::vector<std::string>& options) {
  const std::string in = TemporaryPath("in.mir"), out = TemporaryPath("out.mir");
  WriteFile(in, mir);
  std::vector<std::string> command = LlcCommand(llc, input);
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {in, "-o", out});
  std::string messages;
  if (!RunCommand(command, messages)) return std::nullopt;
  return ReadFile(out);
}

LlcResult RunLlc(const std::string& llc, const InputFile& input) {
  LlcResult result;
  result.mir_path = TemporaryPath(StrCat(input.name, ".mir"));
  const std::string ptx_path = TemporaryPath(StrCat(input.name, ".ptx"));
  const auto run = [&](const std::string& from, bool is_mir) {
    std::vector<std::string> compile = LlcCommand(llc, input);
    if (is_mir) compile.emplace_back("-start-after=finalize-isel");
    std::vector<std::string> stop = compile;
    stop.insert(stop.end(), {"-stop-after=stack-frame-layout", from, "-o", result.mir_path});
    if (!RunCommand(stop, result.error)) return false;
    std::vector<std::string> print = LlcCommand(llc, input);
    print.insert(print.end(), {"-start-after=stack-frame-layout", result.mir_path, "-o", ptx_path});
    if (RunCommand(print, result.error)) return true;
    // llc does not read all of its own machine code (a symbol as the source of MOV64_PARAM). Its output without
    // stopping has different block numbers.
    result.has_other_labels = true;
    compile.insert(compile.end(), {from, "-o", ptx_path});
    return RunCommand(compile, result.error);
  };
  result.ok = run(input.path, !input.is_ir);
  if (!result.ok && !input.is_ir) {
    const std::string ir_path = TemporaryPath(StrCat(input.name, ".ll"));
    WriteFile(ir_path, EmbeddedIr(ReadFile(input.path)));
    result.ok = run(ir_path, /*is_mir=*/false);
  }
  if (result.ok) result.ptx = ReadFile(ptx_path);
  return result;
}

}  // namespace ptxmir::testing

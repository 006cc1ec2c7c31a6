// SPDX-License-Identifier: Apache-2.0

// Every module of the corpus is read without an error and written back unchanged, and the text generated from the
// data of each of its global values equals the original text.

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/ir_initializer.h"
#include "ir/ir_reader.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir {
namespace {

std::vector<std::string> CorpusFiles() {
  const std::string folder = "tests/corpus/";
  std::vector<std::string> files;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return files;
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    const size_t dot = name.rfind('.');
    if (dot == name.npos || (name.substr(dot) != ".mir" && name.substr(dot) != ".ll")) continue;
    files.push_back(folder + name);
  }
  closedir(directory);
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the IR document of a MIR file, or the whole text of an IR file.
std::string_view IrOf(std::string_view text) {
  if (text.substr(0, 5) != "--- |") return text.substr(0, 3) == "---" ? std::string_view() : text;
  const size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.find("\n...", begin) + 1 - begin);
}

void CheckModule(const Module& module, std::string_view text) {
  EXPECT_EQ(module.IrToString(), text);
  for (const GlobalValue* value : module.global_values()) {
    EXPECT_EQ(ToString(module, *value), value->source_text);
  }
  for (const GlobalVariable& variable : module.variables()) {
    if (variable.initializer == nullptr) continue;
    EXPECT_TRUE(LowerInitializer(module, *variable.initializer).ok()) << variable.name;
  }
  for (const IrFunction& function : module.functions()) {
    EXPECT_EQ(module.body(function).blocks.empty(), function.is_declaration()) << function.name;
  }
  for (MetadataId id = 0; id < module.metadata_bound(); ++id) {
    if (!module.HasMetadata(id)) continue;
    EXPECT_NE(module.metadata(id), nullptr) << module.MetadataText(id);
  }
}

TEST(IrCorpusTest, ReadsAndWritesEveryModule) {
  const std::vector<std::string> files = CorpusFiles();
  EXPECT_GE(files.size(), 50u);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto buffer = SourceBuffer::FromFile(file);
    ASSERT_TRUE(buffer.ok());
    const std::string_view text = IrOf((*buffer)->text());
    if (text.empty()) continue;
    Module module;
    module.KeepSource(*buffer);
    DiagnosticEngine diagnostics;
    EXPECT_TRUE(ReadIrModule(**buffer, text, module, diagnostics)) << diagnostics.ToString();
    CheckModule(module, text);
  }
}

}  // namespace
}  // namespace ptxmir

// SPDX-License-Identifier: Apache-2.0

// Reads DAGs from text, for tests.

#ifndef PTXMIR_TESTS_SDAG_DAG_FIXTURE_H_
#define PTXMIR_TESTS_SDAG_DAG_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "sdag/text/dag_reader.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir::sdag {

inline std::string FileText(const std::string& path) {
  auto buffer = SourceBuffer::FromFile(path);
  EXPECT_TRUE(buffer.ok()) << path;
  return buffer.ok() ? std::string((*buffer)->text()) : std::string();
}

// Returns the text of a file with one function, whose only block holds `lines`.
inline std::string OneBlock(std::string_view lines) {
  return "---\nname: f\ndag: |\n  bb.0:\n" + std::string(lines) + "\n...\n";
}

inline DagModule ReadText(std::string text, DiagnosticEngine& diagnostics) {
  return ReadDags(std::make_shared<const SourceBuffer>("test.sdag", std::move(text)), diagnostics);
}

// Returns the errors that are reported for a text.
inline std::string ErrorsOf(std::string text) {
  DiagnosticEngine diagnostics;
  const DagModule module = ReadText(std::move(text), diagnostics);
  EXPECT_EQ(module.module == nullptr, diagnostics.has_errors());
  return diagnostics.ToString();
}

// A text without errors, and the module read from it. dags() is the first function, dag() the DAG of its first
// block.
class DagText {
 public:
  explicit DagText(std::string text) {
    DiagnosticEngine diagnostics;
    module_ = ReadText(std::move(text), diagnostics);
    EXPECT_EQ(diagnostics.ToString(), "");
  }
  bool ok() const { return module_.module != nullptr; }
  DagModule& module() { return module_; }
  DagFunction& dags() { return *module_.functions[0]; }
  SelectionDAG& dag(BlockNumber block = 0) { return *dags().FindDag(block); }
  std::string Written() const {
    std::string text;
    WriteDags(module_, {}, text);
    return text;
  }

 private:
  DagModule module_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_TESTS_SDAG_DAG_FIXTURE_H_

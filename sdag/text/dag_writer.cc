// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_writer.h"

#include <cstring>

#include "absl/strings/cord.h"
#include "base/str_cat.h"
#include "mir/text/mir_parts_writer.h"
#include "sdag/text/dag_line_list.h"
#include "sdag/text/dag_node_writer.h"
#include "sdag/text/dag_text.h"

namespace ptxmir::sdag {

SDNode* NumberNodes(SelectionDAG& dag) {
  dag.AssignTopologicalOrder();
  int32_t next = 0;
  SDNode* last = nullptr;
  for (SDNode& node : dag) {
    const bool has_line = !IsPrintedInline(node);
    node.set_node_id(has_line ? next++ : -1);
    if (has_line) last = &node;
  }
  return last;
}

namespace {

void WriteNodes(SelectionDAG& dag, std::string_view margin, TextSink& sink) {
  DagNodeWriter writer(dag.machine_function(), sink);
  const SDNode* const last = NumberNodes(dag);
  ForEachDagLine(dag, last, writer, [&](const SDNode*, auto write) {
    sink.Put(margin);
    write();
    sink.Put('\n');
  });
}

void WriteBlock(DagFunction& function, const MachineBasicBlock& block, const MirWriteOptions& options, TextSink& sink) {
  WriteBlockHeader(block, sink);
  SelectionDAG* dag = function.FindDag(block.number());
  if (dag == nullptr && block.empty()) return;
  if (!block.successors().empty()) sink.Put("  \n");
  InstrWriter instrs(function.machine_function(), options, InstrWriter::Form::kMir, sink);
  for (const MachineInstr& instr : block) {
    sink.Put("    ");
    instrs.Write(instr);
    sink.Put('\n');
  }
  if (dag != nullptr) WriteNodes(*dag, "    ", sink);
}

}  // namespace

void WriteDagFunction(DagFunction& function, const MirWriteOptions& options, std::string& out) {
  const MachineFunction& machine = function.machine_function();
  TextSink sink(out);
  sink.Put("---\n");
  WriteYamlHeader(machine, options, sink);
  sink.Put("dag:              |\n");
  for (const MachineBasicBlock& block : machine) {
    if (&block != machine.front()) sink.Put("  \n");
    WriteBlock(function, block, options, sink);
  }
  sink.Put("...\n");
}

void WriteDags(const DagModule& module, const MirWriteOptions& options, std::string& out) {
  const size_t size_before = out.size();
  WriteModulePart(*module.module, out);
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i] != nullptr) {
      WriteDagFunction(*module.functions[i], options, out);
    } else {
      WriteMirFunction(*module.module->machine_functions()[i], options, out);
    }
  }
  // A text without any document cannot be read again.
  if (out.size() == size_before) out += "---\n...\n";
}

void PrintNode(const SDNode& node, std::string& out) {
  TextSink sink(out);
  DagNodeWriter(node.function().machine_function(), sink).WriteLine(node);
}

void PrintDag(SelectionDAG& dag, std::string& out) {
  TextSink sink(out);
  sink.Put("SelectionDAG has ");
  sink.PutInt(dag.num_nodes());
  sink.Put(" nodes:\n");
  WriteNodes(dag, "  ", sink);
}

namespace {

// The key of the status payload that holds the bytes of the position's pointer.
constexpr char kPositionUrl[] = "ptxmir/position";

}  // namespace

absl::Status NodeError(absl::StatusCode code, const SDNode& node, std::string_view what, std::string_view why) {
  const DagFunction& function = node.function();
  std::string message =
      StrCat("in function '", function.machine_function().name(), "', bb.", node.block(), ": ", what, ": ");
  PrintNode(node, message);
  if (!why.empty()) StrAppend(&message, ": ", why);
  absl::Status status(code, message);
  if (const char* position = function.PositionOf(node)) {
    status.SetPayload(kPositionUrl,
                      absl::Cord(absl::string_view(reinterpret_cast<const char*>(&position), sizeof position)));
  }
  return status;
}

const char* PositionOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPositionUrl);
  const char* position = nullptr;
  if (payload.has_value()) std::memcpy(&position, std::string(*payload).data(), sizeof position);
  return position;
}

}  // namespace ptxmir::sdag

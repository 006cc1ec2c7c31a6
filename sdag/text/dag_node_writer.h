// SPDX-License-Identifier: Apache-2.0

// Prints single nodes, for the writers of text and DOT.

#ifndef PTXMIR_SDAG_TEXT_DAG_NODE_WRITER_H_
#define PTXMIR_SDAG_TEXT_DAG_NODE_WRITER_H_

#include "absl/container/flat_hash_map.h"
#include "mir/text/mir_instr_writer.h"
#include "mir/text/mir_text.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Returns true if a node is printed where it is used, not on a line of its own.
bool IsPrintedInline(const SDNode& node);

using NodeNumbers = absl::flat_hash_map<NodeId, uint32_t>;

class DagNodeWriter {
 public:
  // A node is named by its number in `numbers`, which maps ids to numbers, if there is one; otherwise by its
  // node_id or, if that is negative, by its id.
  DagNodeWriter(const MachineFunction& function, TextSink& sink, const NodeNumbers* numbers = nullptr);

  // "t5: i32,ch = CopyFromReg t0, Register:i32 %0"
  void WriteLine(const SDNode& node);
  // "root: t5"
  void WriteRoot(SDValue root);
  void WriteOperand(SDValue value);
  // "DBG_VALUE [ORD=3] t5, $noreg, !6, !DIExpression(), debug-location !8"
  void WriteDebugValue(const SDDbgValue& value, MetadataId debug_loc);
  // "t5" or "t5:1"; result 0 has no number.
  void WriteReference(SDValue value);
  // "i32,ch"
  void WriteTypes(const SDNode& node);
  // Writes the node without operands and annotations: "load<(load (s32)), zext from i8>".
  void WriteName(const SDNode& node);
  void WriteFlags(const SDNode& node);
  void WritePayload(const SDNode& node);

 private:
  void WriteConstant(const ConstantSDNode& node);
  void WriteGlobal(const GlobalAddressSDNode& node);
  void WriteOffset(int64_t offset);
  void WriteSymbol(SymbolId symbol);
  void WriteMemory(const MemSDNode& node);
  void WriteMachineMemory(const MachineSDNode& node);
  void WriteMask(const ShuffleVectorSDNode& node);

  const MachineFunction& function_;
  TextSink& sink_;
  const NodeNumbers* numbers_;
  InstrWriter parts_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_NODE_WRITER_H_

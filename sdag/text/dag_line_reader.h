// SPDX-License-Identifier: Apache-2.0

// Reads the lines of one function's DAGs. Internal to the DAG reader (dag_reader.h).

#ifndef PTXMIR_SDAG_TEXT_DAG_LINE_READER_H_
#define PTXMIR_SDAG_TEXT_DAG_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "mir/text/block_line_reader.h"
#include "mir/text/mir_lexer.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

class DagLineReader : public BlockLineReader {
 public:
  // Puts the function's DAGs into `dags`.
  explicit DagLineReader(DagFunction& dags) : dags_(dags), function_(dags.machine_function()) {}

  const char* ReadLine(const char* p) override;
  void FinishBlock(MachineBasicBlock& block) override;
  void Finish() override;

 private:
  // The description of a node in a line, or in an operand that is a leaf.
  struct Line {
    const char* position = nullptr;
    uint64_t number = 0;
    int16_t opcode = 0;
    bool is_intrinsic = false;  // the opcode is chosen from results and operands
    bool is_divergent = false;
    uint32_t flags = 0;
    SDLoc loc;
    uint32_t first_type = 0, num_types = 0;        // in types_
    uint32_t first_operand = 0, num_operands = 0;  // in operands_
    // The payload.
    uint64_t low = 0, high = 0;  // constants, indices, registers, symbols
    int64_t offset = 0;
    EVT memory_type = MVT::kOther;
    bool has_memory_type = false;
    bool is_truncating = false;
    LoadExt ext = LoadExt::kNone;
    uint32_t first_memoperand = 0, num_memoperands = 0;  // in memoperands_
    uint32_t first_mask = 0, num_mask = 0;               // in masks_
    // The progress in making the node.
    enum class State : uint8_t { kNew, kOpen, kDone, kBroken } state = State::kNew;
    SDNode* node = nullptr;
  };
  struct Operand {
    const char* position = nullptr;
    SDValue leaf;
    uint64_t number = 0;  // tN
    uint32_t resno = 0;
    bool is_reference = false;
    uint32_t line = 0;  // index into lines_, set for references when all lines are known
  };

  // The description of a debug value.
  struct DebugLine {
    Operand value;  // if it is a reference
    SDDbgValue debug_value;
  };

  // Parsing (dag_line_reader.cc). As in the whole MIR reader, each function returns the position after the text
  // that it has read, or null after an error.
  const char* ReadRoot(const char* p);
  const char* ReadDebugValue(const char* p);
  const char* ReadNode(const char* p, Line* line);
  const char* ReadType(const char* p, MVT* type);
  const char* ReadTypes(const char* p, Line* line);
  const char* ReadName(const char* p, Line* line);
  const char* ReadFlags(const char* p, Line* line);
  const char* ReadAnnotations(const char* p, Line* line);
  const char* ReadOperands(const char* p);
  const char* ReadOperand(const char* p);
  const char* ReadReference(const char* p, Operand* operand);
  const char* ReadLeaf(const char* p, Operand* operand);
  const char* ExpectChar(const char* p, char c);

  // Payloads (dag_payload_reader.cc).
  const char* ReadPayload(const char* p, Line* line);
  const char* ReadConstant(const char* p, Line* line);
  const char* ReadConstantFP(const char* p, Line* line);
  const char* ReadGlobalPayload(const char* p, Line* line);
  const char* ReadGlobalOffset(const char* p, Line* line);
  const char* ReadIndex(const char* p, Line* line, std::string_view prefix, bool may_be_negative);
  const char* ReadRegisterPayload(const char* p, Line* line);
  const char* ReadBlockPayload(const char* p, Line* line);
  const char* ReadSymbol(const char* p, Line* line);
  const char* ReadMetadataPayload(const char* p, Line* line);
  const char* ReadValueType(const char* p, Line* line);
  const char* ReadEvt(const char* p, EVT* type);
  const char* ReadMemory(const char* p, Line* line);
  const char* ReadMemoryAttribute(const char* p, Line* line);
  const char* ReadMachineMemory(const char* p, Line* line);
  const char* ReadSpaces(const char* p, Line* line);
  const char* ReadMask(const char* p, Line* line);
  const char* ReadAlign(const char* p, Line* line);

  // Making nodes (dag_reader.cc).
  MVT TypeOf(const Line& line) const { return types_[line.first_type]; }
  bool ResolveReferences();
  bool MakeNodes(SelectionDAG& dag);
  bool MakeNode(SelectionDAG& dag, uint32_t index);
  SDValue Make(SelectionDAG& dag, const Line& line, absl::Span<const SDValue> operands);
  SDValue MakeChecked(SelectionDAG& dag, const Line& line, absl::Span<const SDValue> operands);
  SDValue MakeLeaf(SelectionDAG& dag, const Line& line, MVT type);
  SDValue MakeWithPayload(SelectionDAG& dag, const Line& line, absl::Span<const MVT> types,
                          absl::Span<const SDValue> operands);
  SDValue MakeMemoryNode(SelectionDAG& dag, const Line& line, absl::Span<const MVT> types,
                         absl::Span<const SDValue> operands);
  void SetRoot(SelectionDAG& dag);
  void AddDebugValues(SelectionDAG& dag);
  SelectionDAG& Dag() { return dags_.dag(*block()); }

  DagFunction& dags_;
  MachineFunction& function_;
  bool sets_divergence_ = false;

  // The block that is being read.
  std::vector<Line> lines_;
  std::vector<MVT> types_;
  std::vector<Operand> operands_;
  std::vector<DebugLine> debug_lines_;
  std::vector<const MachineMemOperand*> memoperands_;
  std::vector<int16_t> masks_;
  absl::flat_hash_map<uint64_t, uint32_t> line_of_number_;
  bool has_errors_ = false;
  bool has_root_ = false;
  Operand root_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_TEXT_DAG_LINE_READER_H_

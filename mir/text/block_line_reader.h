// SPDX-License-Identifier: Apache-2.0

// BlockLineReader: lets the MIR reader read blocks whose lines are not machine code.
//
// A function's document may have another key instead of `body`. Its blocks have the same headers and lists, but
// their lines are in another language, such as SelectionDAG's `dag` (sdag/text/dag_reader.h). The reader of those
// lines derives from this class. It can use the MIR reader's functions to read registers, globals, metadata and
// memory operands and to report errors.

#ifndef PTXMIR_MIR_TEXT_BLOCK_LINE_READER_H_
#define PTXMIR_MIR_TEXT_BLOCK_LINE_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mir/text/mir_body_reader.h"
#include "mir/text/mir_reader.h"

namespace ptxmir {

class BlockLineReader {
 public:
  virtual ~BlockLineReader() = default;

  // Reads one line that is neither a header nor a list. `p` is at its first nonblank character. Returns the
  // position of the end of the line (a line break or zero), or null after reporting an error.
  virtual const char* ReadLine(const char* p) = 0;
  // Called at the end of each block.
  virtual void FinishBlock(MachineBasicBlock& block) = 0;
  // Called after the whole text was read.
  virtual void Finish() = 0;

 protected:
  MirFunctionState& state() { return body_->state_; }
  MirFileState& file() { return body_->file_; }
  MachineBasicBlock* block() { return body_->block_; }

  // The functions of MirBodyReader. They return the position after the text that they read, or null after
  // reporting an error.
  const char* Error(const char* position, std::string message) { return body_->Error(position, std::move(message)); }
  const char* ReadMachineInstr(const char* p) { return body_->ReadInstr(p); }
  const char* ReadVirtualRegister(const char* p, Register* reg) { return body_->ReadVirtualRegister(p, reg); }
  const char* ReadPhysicalRegister(const char* p, Register* reg) { return body_->ReadPhysicalRegister(p, reg); }
  const char* ReadGlobal(const char* p, GlobalId* global) { return body_->ReadGlobal(p, global); }
  const char* ReadMetadata(const char* p, MetadataId* metadata) { return body_->ReadMetadata(p, metadata); }
  const char* ReadMemOperand(const char* p, const MachineMemOperand** memoperand) {
    return body_->ReadMemOperand(p, memoperand);
  }
  const char* ReadBlockReference(const char* p, MachineBasicBlock** block) {
    return body_->ReadBlockReference(p, block);
  }
  // Reads the operands of a debug instruction, and its debug location if there is one, to the end of the line.
  const char* ReadDebugOperands(const char* p, std::vector<MachineOperand>* operands, MetadataId* debug_loc) {
    return body_->ReadDebugOperands(p, operands, debug_loc);
  }
  const char* ReadInteger(const char* p, uint64_t max, const char* what, uint64_t* value) {
    return body_->ReadInteger(p, max, what, value);
  }

 private:
  friend class MirBodyReader;
  MirBodyReader* body_ = nullptr;
};

// Creates the reader of a function's lines. The reader is destroyed before the function is handed on.
using BlockLineReaderFactory = std::function<std::unique_ptr<BlockLineReader>(MachineFunction& function)>;

// Like ReadMir, for files whose functions have either a `body` or a `dag`. The readers that the factory creates
// read the lines of the `dag`.
bool ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target, DiagnosticEngine& diagnostics,
             Module& module, const BlockLineReaderFactory& factory, const MachineFunctionSink& sink);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_BLOCK_LINE_READER_H_

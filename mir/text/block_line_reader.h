// SPDX-License-Identifier: Apache-2.0

// BlockLineReader: how text in blocks that is no machine code is read by the MIR reader.
//
// A function's document may have another key than `body`, whose blocks hold lines of another language between the
// same headers and lists: SelectionDAG's `dag` (sdag/text/dag_reader.h). Whoever reads those lines derives from this
// class, and has what the MIR reader has to read registers, globals, metadata and memory operands, and to report
// errors.

#ifndef PTXMIR_MIR_TEXT_BLOCK_LINE_READER_H_
#define PTXMIR_MIR_TEXT_BLOCK_LINE_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "mir/text/mir_body_reader.h"
#include "mir/text/mir_reader.h"

namespace ptxmir {

class BlockLineReader {
 public:
  virtual ~BlockLineReader() = default;

  // Reads one line, from its first character that is no blank; no header and no list. Returns the position at its
  // end (a line break or zero), or null when it has reported an error.
  virtual const char* ReadLine(const char* p) = 0;
  // At the end of each block.
  virtual void FinishBlock(MachineBasicBlock& block) = 0;
  // When the whole text was read.
  virtual void Finish() = 0;

 protected:
  MirFunctionState& state() { return body_->state_; }
  MirFileState& file() { return body_->file_; }
  MachineBasicBlock* block() { return body_->block_; }

  // As in MirBodyReader. They return the position behind what they read, or null when they have reported an error.
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
  const char* ReadInteger(const char* p, uint64_t max, const char* what, uint64_t* value) {
    return body_->ReadInteger(p, max, what, value);
  }

 private:
  friend class MirBodyReader;
  MirBodyReader* body_ = nullptr;
};

// Makes the reader of a function's lines. It is destroyed before the function is handed on.
using BlockLineReaderFactory = std::function<std::unique_ptr<BlockLineReader>(MachineFunction& function)>;

// ReadMir for files whose functions have either a `body` or, read by what the factory makes, a `dag`.
bool ReadMir(std::shared_ptr<const SourceBuffer> buffer, const TargetInfo& target, DiagnosticEngine& diagnostics,
             Module& module, const BlockLineReaderFactory& factory, const MachineFunctionSink& sink);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_BLOCK_LINE_READER_H_

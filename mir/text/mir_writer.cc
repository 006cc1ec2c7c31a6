// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ir/module.h"
#include "mir/text/mir_instr_writer.h"
#include "mir/text/mir_parts_writer.h"
#include "mir/text/mir_text.h"
#include "mir/text/mir_yaml_writer.h"
#include "mir/text/module_document.h"

namespace ptxmir {
namespace {

using Probabilities = std::vector<uint32_t>;  // numerators over BranchProbability::kDenominator

// Returns the numerator of 1/n.
uint32_t OneOver(size_t n) { return static_cast<uint32_t>((BranchProbability::kDenominator + n / 2) / n); }

// Sets `result` to the known probability of each edge. The edges with unknown probability share the rest equally.
void EdgeProbabilities(const MachineBasicBlock& block, Probabilities& result) {
  uint64_t sum = 0;
  size_t num_unknown = 0;
  for (const BranchProbability p : block.successor_probabilities()) {
    if (p.is_unknown()) {
      ++num_unknown;
    } else {
      sum += p.numerator();
    }
  }
  const size_t n = block.successors().size();
  uint32_t for_unknown = 0;
  if (num_unknown == n && n != 0) {
    for_unknown = OneOver(n);
  } else if (num_unknown != 0 && sum < BranchProbability::kDenominator) {
    for_unknown = static_cast<uint32_t>((BranchProbability::kDenominator - sum) / num_unknown);
  }
  result.clear();
  for (const BranchProbability p : block.successor_probabilities()) {
    result.push_back(p.is_unknown() ? for_unknown : p.numerator());
  }
}

// Returns true if a reader would assume these probabilities if the text gave none.
bool AreProbabilitiesEven(const MachineBasicBlock& block, const Probabilities& probabilities) {
  const size_t n = probabilities.size();
  if (n <= 1) return true;
  bool all_unknown = true;
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    all_unknown &= block.successor_probabilities()[i].is_unknown();
    sum += probabilities[i];
  }
  if (all_unknown) return true;
  const uint32_t even = static_cast<uint32_t>(BranchProbability::kDenominator / n);
  for (const uint32_t p : probabilities) {
    const uint64_t normal = sum == 0 ? OneOver(n) : (p * uint64_t{BranchProbability::kDenominator} + sum / 2) / sum;
    if (normal != even) return false;
  }
  return true;
}

void PutBlockReference(TextSink& sink, BlockNumber number) {
  sink.Put("%bb.");
  sink.PutInt(number);
}

// Writes "successors: %bb.1(0x40000000), %bb.2(0x40000000)". `probabilities` may be null.
void PutSuccessorList(const MachineBasicBlock& block, const Probabilities* probabilities, TextSink& sink) {
  sink.Put("successors:");
  for (size_t i = 0; i < block.successors().size(); ++i) {
    sink.Put(i == 0 ? " " : ", ");
    PutBlockReference(sink, block.successors()[i]->number());
    if (probabilities == nullptr) continue;
    sink.Put("(0x");
    sink.PutHex((*probabilities)[i], 8);
    sink.Put(')');
  }
}

// Attributes in parentheses. The first attribute opens the list; Close closes it.
class AttributeList {
 public:
  explicit AttributeList(TextSink& sink) : sink_(sink) {}
  void Add(std::string_view text) {
    sink_.Put(any_ ? ", " : " (");
    any_ = true;
    sink_.Put(text);
  }
  template <typename Integer>
  void Add(std::string_view text, Integer value) {
    Add(text);
    sink_.PutInt(value);
  }
  void Close() {
    if (any_) sink_.Put(')');
  }

 private:
  TextSink& sink_;
  bool any_ = false;
};

void PutBlockName(TextSink& sink, const MachineBasicBlock& block) {
  sink.Put("bb.");
  sink.PutInt(block.number());
  if (!block.name.empty()) {
    sink.Put('.');
    sink.Put(block.name);
  }
  AttributeList list(sink);
  if (!block.ir_block.empty()) list.Add(block.ir_block);
  if (block.is_machine_block_address_taken) list.Add("machine-block-address-taken");
  if (!block.ir_block_address_taken.empty()) {
    list.Add("ir-block-address-taken ");
    sink.Put(block.ir_block_address_taken);
  }
  if (block.is_landing_pad) list.Add("landing-pad");
  if (block.is_inlineasm_br_indirect_target) list.Add("inlineasm-br-indirect-target");
  if (block.is_eh_funclet_entry) list.Add("ehfunclet-entry");
  if (block.align_log2 != 0) list.Add("align ", uint64_t{1} << block.align_log2);
  if (block.max_bytes_for_alignment != 0) {
    list.Add("max-bytes-for-alignment ", block.max_bytes_for_alignment);
  }
  if (!block.section.empty()) {
    list.Add("bbsections ");
    sink.Put(block.section);
  }
  if (block.has_bb_id) {
    list.Add("bb_id ", block.bb_id);
    if (block.bb_id_clone != 0) {
      sink.Put(' ');
      sink.PutInt(block.bb_id_clone);
    }
  }
  if (block.call_frame_size != 0) list.Add("call-frame-size ", block.call_frame_size);
  list.Close();
}

// Writes the blocks of one function. `margin` is the extra indentation of all lines: two in a YAML body, none in a
// dump.
class BlockWriter {
 public:
  BlockWriter(const MachineFunction& function, const MirWriteOptions& options, InstrWriter::Form form, TextSink& sink)
      : function_(function),
        options_(options),
        is_mir_(form == InstrWriter::Form::kMir),
        margin_(is_mir_ ? "  " : ""),
        sink_(sink),
        instrs_(function, options, form, sink) {}

  void Write(const MachineBasicBlock& block);

 private:
  bool PutPredecessors(const MachineBasicBlock& block);
  bool PutSuccessors(const MachineBasicBlock& block);
  void PutSuccessorComment(const MachineBasicBlock& block);
  bool PutRegisterList(std::string_view title, absl::Span<const MachineBasicBlock::LiveIn> registers);
  void PutInstrs(const MachineBasicBlock& block);
  bool CanGuessSuccessors(const MachineBasicBlock& block);

  const MachineFunction& function_;
  const MirWriteOptions options_;
  const bool is_mir_;
  const std::string_view margin_;
  TextSink& sink_;
  InstrWriter instrs_;
  Probabilities probabilities_;
  // For CanGuessSuccessors, by block: the number + 1 of the last block that had it in its list.
  std::vector<BlockNumber> seen_by_;
};

void BlockWriter::Write(const MachineBasicBlock& block) {
  sink_.Put(margin_);
  PutBlockName(sink_, block);
  sink_.Put(":\n");
  bool has_lines = !is_mir_ && PutPredecessors(block);
  has_lines |= PutSuccessors(block);
  if (is_mir_) {
    has_lines |= PutRegisterList("liveins: ", block.live_ins());
    has_lines |= PutRegisterList("liveouts: ", block.live_outs());
    if (has_lines && !block.empty()) sink_.Put("  \n");
  } else if (!function_.HasProperty(FunctionProperty::kTracksRegLiveness) ||
             !PutRegisterList("liveins: ", block.live_ins())) {
    // LLVM ends the line of live-ins here, where it intends to write an empty line.
    if (has_lines) sink_.Put('\n');
  }
  PutInstrs(block);
}

bool BlockWriter::PutPredecessors(const MachineBasicBlock& block) {
  if (block.predecessors().empty()) return false;
  std::string_view separator = "; predecessors: ";
  for (const MachineBasicBlock* predecessor : block.predecessors()) {
    sink_.Put(separator);
    PutBlockReference(sink_, predecessor->number());
    separator = ", ";
  }
  sink_.Put('\n');
  return true;
}

// MIR omits the line only with -simplify-mir, and only if a reader would guess the same list from the block
// operands and the end of the block.
bool BlockWriter::PutSuccessors(const MachineBasicBlock& block) {
  const auto successors = block.successors();
  EdgeProbabilities(block, probabilities_);
  const bool are_even = AreProbabilitiesEven(block, probabilities_);
  if (is_mir_) {
    const bool needed = (!successors.empty() && !options_.simplify) || !are_even || !CanGuessSuccessors(block);
    if (!needed) return false;
  } else if (successors.empty()) {
    return false;
  }
  sink_.Put(margin_);
  sink_.Put("  ");
  const bool needs_probabilities = !is_mir_ || !options_.simplify || !are_even;
  PutSuccessorList(block, needs_probabilities ? &probabilities_ : nullptr, sink_);
  if (!is_mir_) PutSuccessorComment(block);
  sink_.Put('\n');
  return true;
}

void BlockWriter::PutSuccessorComment(const MachineBasicBlock& block) {
  for (size_t i = 0; i < probabilities_.size(); ++i) {
    sink_.Put(i == 0 ? "; " : ", ");
    PutBlockReference(sink_, block.successors()[i]->number());
    const double percent =
        std::rint(static_cast<double>(probabilities_[i]) / BranchProbability::kDenominator * 10000.0);
    const int64_t hundredths = static_cast<int64_t>(percent);
    sink_.Put('(');
    sink_.PutInt(hundredths / 100);
    sink_.Put('.');
    sink_.PutInt(hundredths / 10 % 10);
    sink_.PutInt(hundredths % 10);
    sink_.Put("%)");
  }
}

bool BlockWriter::PutRegisterList(std::string_view title, absl::Span<const MachineBasicBlock::LiveIn> registers) {
  if (registers.empty()) return false;
  sink_.Put(margin_);
  sink_.Put("  ");
  sink_.Put(title);
  for (size_t i = 0; i < registers.size(); ++i) {
    if (i != 0) sink_.Put(", ");
    instrs_.WriteRegister(registers[i].reg);
    if (registers[i].lane_mask != ~uint64_t{0}) {
      sink_.Put(":0x");
      sink_.PutHex(registers[i].lane_mask, 16, /*upper=*/true);
    }
  }
  sink_.Put('\n');
  return true;
}

void BlockWriter::PutInstrs(const MachineBasicBlock& block) {
  bool in_bundle = false;
  for (const MachineInstr& instr : block) {
    if (in_bundle && !instr.has_flag(MachineInstr::kBundledPred)) {
      sink_.Put(margin_);
      sink_.Put("  }\n");
      in_bundle = false;
    }
    sink_.Put(margin_);
    sink_.Put(in_bundle ? "    " : "  ");
    instrs_.Write(instr);
    if (!in_bundle && instr.has_flag(MachineInstr::kBundledSucc)) {
      sink_.Put(" {");
      in_bundle = true;
    }
    sink_.Put('\n');
  }
  if (in_bundle) {
    sink_.Put(margin_);
    sink_.Put("  }\n");
  }
}

// Returns true if a reader would guess these successors: the blocks that operands name, in order, then the next
// block unless the last instruction is a barrier.
bool BlockWriter::CanGuessSuccessors(const MachineBasicBlock& block) {
  const auto successors = block.successors();
  if (seen_by_.empty()) seen_by_.resize(function_.block_number_bound());
  size_t matched = 0;
  const auto expect = [&](BlockNumber number) {
    if (number >= seen_by_.size()) return false;
    if (seen_by_[number] == block.number() + 1) return true;
    seen_by_[number] = block.number() + 1;
    if (matched == successors.size() || successors[matched]->number() != number) return false;
    ++matched;
    return true;
  };
  for (const MachineInstr& instr : block) {
    if (instr.is_phi()) continue;
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_block() && !expect(operand.block())) return false;
    }
  }
  const MachineInstr* last = block.back();
  while (last != nullptr && (last->is_debug() || last->opcode() == generic::kPseudoProbe)) {
    last = last->previous();
  }
  const bool falls_through = last == nullptr || !last->is_barrier();
  if (falls_through && block.next() != nullptr && !expect(block.next()->number())) return false;
  return matched == successors.size();
}

struct PropertyName {
  uint32_t property;
  std::string_view name;
};

// The properties in the order of LLVM's MachineFunctionProperties.
constexpr PropertyName kDumpProperties[] = {
    {FunctionProperty::kIsSsa, "IsSSA"},
    {FunctionProperty::kNoPhis, "NoPHIs"},
    {FunctionProperty::kTracksRegLiveness, "TracksLiveness"},
    {FunctionProperty::kNoVRegs, "NoVRegs"},
    {FunctionProperty::kFailedISel, "FailedISel"},
    {FunctionProperty::kLegalized, "Legalized"},
    {FunctionProperty::kRegBankSelected, "RegBankSelected"},
    {FunctionProperty::kSelected, "Selected"},
};

void DumpFrame(const MachineFrameInfo& frame, TextSink& sink) {
  if (frame.objects().empty() && frame.fixed_objects().empty()) return;
  sink.Put("Frame Objects:\n");
  const int first = -static_cast<int>(frame.fixed_objects().size());
  const int end = static_cast<int>(frame.objects().size());
  for (int i = first; i < end; ++i) {
    const StackObject& object = frame.object(i);
    sink.Put("  fi#");
    sink.PutInt(i);
    sink.Put(": ");
    if (object.is_dead) {
      sink.Put("dead\n");
      continue;
    }
    if (object.type == StackObject::Type::kVariableSized) {
      sink.Put("variable sized");
    } else {
      sink.Put("size=");
      sink.PutInt(object.size);
    }
    sink.Put(", align=");
    sink.PutInt(uint64_t{1} << object.align_log2);
    if (i < 0) sink.Put(", fixed");
    sink.Put(", at location [SP");
    if (object.offset > 0) sink.Put('+');
    if (object.offset != 0) sink.PutInt(object.offset);
    sink.Put("]\n");
  }
}

void DumpTables(const MachineFunction& function, TextSink& sink) {
  if (!function.jump_tables().empty()) {
    sink.Put("Jump Tables:\n");
    for (size_t i = 0; i < function.jump_tables().size(); ++i) {
      sink.Put("%jump-table.");
      sink.PutInt(i);
      sink.Put(':');
      for (const BlockNumber block : function.jump_tables()[i].blocks) {
        sink.Put(' ');
        PutBlockReference(sink, block);
      }
      sink.Put('\n');
    }
    sink.Put('\n');
  }
  if (function.constants().empty()) return;
  sink.Put("Constant Pool:\n");
  for (size_t i = 0; i < function.constants().size(); ++i) {
    sink.Put("  cp#");
    sink.PutInt(i);
    sink.Put(": ");
    sink.Put(function.constants()[i].value);
    sink.Put(", align=");
    sink.PutInt(uint64_t{1} << function.constants()[i].align_log2);
    sink.Put('\n');
  }
}

void DumpLiveIns(const MachineFunction& function, InstrWriter& instrs, TextSink& sink) {
  const auto& live_ins = function.reg_info().live_ins();
  if (live_ins.empty()) return;
  std::string_view separator = "Function Live Ins: ";
  for (const MachineRegisterInfo::FunctionLiveIn& live_in : live_ins) {
    sink.Put(separator);
    separator = ", ";
    instrs.WriteRegister(live_in.physical);
    if (!live_in.virtual_register.is_valid()) continue;
    sink.Put(" in ");
    instrs.WriteRegister(live_in.virtual_register);
  }
  sink.Put('\n');
}

void PutFunctionDocument(const MachineFunction& function, const MirWriteOptions& options, TextSink& sink) {
  sink.Put("---\n");
  WriteYamlHeader(function, options, sink);
  if (!function.empty() || !options.simplify) sink.Put("body:             |\n");
  BlockWriter blocks(function, options, InstrWriter::Form::kMir, sink);
  for (const MachineBasicBlock& block : function) {
    if (&block != function.front()) sink.Put("  \n");
    blocks.Write(block);
  }
  sink.Put("...\n");
}

}  // namespace

void WriteMirFunction(const MachineFunction& function, const MirWriteOptions& options, std::string& out) {
  TextSink sink(out);
  PutFunctionDocument(function, options, sink);
}

// Appends the IR as a MIR file holds it: indented, unless its text is so already.
void AppendIndentedIr(const Module& module, std::string& out) {
  constexpr std::string_view kIndent = "  ";
  std::string text;
  module.PrintIr(&text, kIndent);
  const size_t first = text.find_first_not_of('\n');
  if (first == std::string::npos || text[first] == ' ') {
    out += text;
    return;
  }
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end != at) out += kIndent;
    out.append(text, at, end - at);
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
}

void WriteModulePart(const Module& module, std::string& out) {
  if (module.has_module_document()) {
    WriteModuleDocument(module, &out);
  } else if (module.HasIr()) {
    out += "--- |\n";
    AppendIndentedIr(module, out);
    // The IR may come from a file without a final line break.
    if (out.back() != '\n') out += '\n';
    out += "...\n";
  }
}

void WriteMir(const Module& module, const MirWriteOptions& options, std::string& out) {
  const size_t size_before = out.size();
  WriteModulePart(module, out);
  // A text without any document cannot be read again.
  if (out.size() == size_before && module.machine_functions().empty()) out += "---\n...\n";
  TextSink sink(out);
  for (const auto& function : module.machine_functions()) PutFunctionDocument(*function, options, sink);
}

void WriteInstr(const MachineInstr& instr, const MirWriteOptions& options, std::string& out) {
  TextSink sink(out);
  InstrWriter(instr.function(), options, InstrWriter::Form::kDump, sink).Write(instr);
}

void WriteOperand(const MachineOperand& operand, const MirWriteOptions& options, std::string& out) {
  TextSink sink(out);
  const MachineInstr& instr = *operand.parent();
  InstrWriter(instr.function(), options, InstrWriter::Form::kDump, sink).WriteOperand(instr, operand.operand_number());
}

void WriteBlockForDump(const MachineBasicBlock& block, const MirWriteOptions& options, std::string& out) {
  TextSink sink(out);
  BlockWriter(block.function(), options, InstrWriter::Form::kDump, sink).Write(block);
}

void WriteFunctionForDump(const MachineFunction& function, const MirWriteOptions& options, std::string& out) {
  TextSink sink(out);
  sink.Put("# Machine code for function ");
  sink.Put(function.name());
  std::string_view separator = ": ";
  for (const PropertyName& entry : kDumpProperties) {
    if (!function.HasProperty(entry.property)) continue;
    sink.Put(separator);
    sink.Put(entry.name);
    separator = ", ";
  }
  sink.Put('\n');
  DumpFrame(function.frame_info(), sink);
  DumpTables(function, sink);
  InstrWriter instrs(function, options, InstrWriter::Form::kDump, sink);
  DumpLiveIns(function, instrs, sink);
  BlockWriter blocks(function, options, InstrWriter::Form::kDump, sink);
  for (const MachineBasicBlock& block : function) {
    sink.Put('\n');
    blocks.Write(block);
  }
  sink.Put("\n# End machine code for function ");
  sink.Put(function.name());
  sink.Put(".\n\n");
}

void WriteBlockHeader(const MachineBasicBlock& block, TextSink& sink) {
  sink.Put("  ");
  PutBlockName(sink, block);
  sink.Put(":\n");
  if (block.successors().empty()) return;
  Probabilities probabilities;
  EdgeProbabilities(block, probabilities);
  sink.Put("    ");
  PutSuccessorList(block, &probabilities, sink);
  sink.Put('\n');
}

void WriteBlockName(const MachineBasicBlock& block, std::string& out) {
  TextSink sink(out);
  PutBlockName(sink, block);
}

}  // namespace ptxmir

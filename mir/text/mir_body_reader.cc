// SPDX-License-Identifier: Apache-2.0

// Reads blocks: headers, lists of successors and live registers, and the loop over lines.

#include "mir/text/mir_body_reader.h"

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "mir/text/block_line_reader.h"

namespace ptxmir {

using mir_lexer::FindWord;
using mir_lexer::HasClass;
using mir_lexer::IsDigit;
using mir_lexer::IsEol;
using mir_lexer::kBlankChar;
using mir_lexer::ScanHex;
using mir_lexer::ScanString;
using mir_lexer::ScanUnsigned;
using mir_lexer::SkipIdentifier;
using mir_lexer::SkipSpace;
using mir_lexer::TextFrom;
using mir_lexer::Word;

namespace {

// Normalizes probabilities like LLVM's BranchProbability::normalizeProbabilities: edges with unknown probability
// share the rest, and a sum other than one is scaled to one. The difference to LLVM is that scaled probabilities
// do not change when they are read again: a sum that is off only by rounding is left alone.
void NormalizeProbabilities(MachineBasicBlock& block) {
  constexpr uint64_t kOne = BranchProbability::kDenominator;
  const absl::Span<const BranchProbability> probabilities = block.successor_probabilities();
  if (probabilities.empty()) return;
  uint64_t sum = 0;
  uint64_t num_unknown = 0;
  for (BranchProbability probability : probabilities) {
    if (probability.is_unknown()) {
      ++num_unknown;
    } else {
      sum += probability.numerator();
    }
  }
  if (num_unknown > 0) {
    const BranchProbability share(sum < kOne ? static_cast<uint32_t>((kOne - sum) / num_unknown) : 0);
    for (size_t i = 0; i < probabilities.size(); ++i) {
      if (probabilities[i].is_unknown()) block.SetSuccessorProbability(i, share);
    }
    if (sum <= kOne) return;
  }
  const uint64_t count = probabilities.size();
  const uint64_t deviation = sum > kOne ? sum - kOne : kOne - sum;
  if (deviation <= count / 2) return;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t numerator =
        sum == 0 ? (kOne + count / 2) / count : (probabilities[i].numerator() * kOne + sum / 2) / sum;
    block.SetSuccessorProbability(i, BranchProbability(static_cast<uint32_t>(numerator)));
  }
}

}  // namespace

MirBodyReader::MirBodyReader(MirFunctionState& state)
    : state_(state), file_(state.file), function_(state.function), regs_(state.regs) {}

void MirBodyReader::set_line_reader(BlockLineReader* reader) {
  line_reader_ = reader;
  reader->body_ = this;
}

const char* MirBodyReader::Error(const char* position, std::string message) {
  if (decoded_from_ != nullptr && position >= text_begin_ && position <= text_end_) {
    position = decoded_from_->PositionOf(static_cast<size_t>(position - text_begin_));
  }
  file_.diagnostics.Error(file_.buffer, position, std::move(message));
  return nullptr;
}

const char* MirBodyReader::ErrorExpected(const char* position, char c) {
  return Error(position, StrCat("expected '", std::string(1, c), "'"));
}

void MirBodyReader::ReadBody(std::string_view text, const YamlScalar* decoded_from) {
  decoded_from_ = decoded_from;
  text_begin_ = text.data();
  text_end_ = text.data() + text.size();
  operands_.reserve(64);
  ReadLines(text.data(), text.data() + text.size());
  if (line_reader_ != nullptr && !file_.diagnostics.limit_reached()) line_reader_->Finish();
  if (!file_.diagnostics.limit_reached()) CheckUses();
}

bool MirBodyReader::ReadStandaloneRegister(const YamlScalar& scalar, Register* reg) {
  const char* p = scalar.raw.data();
  const char* end = p + scalar.raw.size();
  if (*p == '$') {
    p = ReadPhysicalRegister(p, reg);
  } else if (*p == '%') {
    p = ReadVirtualRegister(p, reg);
  } else {
    p = Error(p, "expected either a named or virtual register");
  }
  if (p != nullptr && p != end) p = Error(p, "expected end of string after the register reference");
  return p != nullptr;
}

bool MirBodyReader::ReadStandaloneBlock(const YamlScalar& scalar, BlockNumber* number) {
  MachineBasicBlock* block = nullptr;
  const char* p = ReadBlockReference(scalar.raw.data(), &block);
  if (p == nullptr) return false;
  if (p != scalar.raw.data() + scalar.raw.size()) {
    Error(p, "expected end of string after the machine basic block reference");
    return false;
  }
  *number = block->number();
  return true;
}

const char* MirBodyReader::SkipLine(const char* p, const char* end) {
  if (p >= end) return end;
  const void* newline = std::memchr(p, '\n', static_cast<size_t>(end - p));
  return newline == nullptr ? end : static_cast<const char*>(newline) + 1;
}

bool MirBodyReader::AtBlockLabel(const char* p) { return p[0] == 'b' && p[1] == 'b' && p[2] == '.' && IsDigit(p[3]); }

void MirBodyReader::ReadLines(const char* p, const char* end) {
  while (p < end) {
    while (HasClass(*p, kBlankChar)) ++p;
    if (p >= end) break;
    if (*p == '\n' || *p == '\r') {
      ++p;
      continue;
    }
    const char* rest = ReadBlockStatement(p);
    if (rest == nullptr) {
      if (file_.diagnostics.limit_reached()) return;
      p = SkipLine(p, end);
      continue;
    }
    // A statement ends at the end of its line, but a bundle may contain several instructions on one line.
    p = rest;
    if (*p == 0 && p < end) {
      Error(p, "unexpected character");
      p = SkipLine(p, end);
    }
  }
  FinishBlock();
}

// Reads a statement: a block's header, a list, an instruction or the end of a bundle.
const char* MirBodyReader::ReadBlockStatement(const char* p) {
  if (*p == ';' || *p == '/') {
    const char* rest = SkipSpace(p);
    if (rest != p) return rest;
  }
  if (AtBlockLabel(p)) {
    FinishBlock();
    return ReadBlockHeader(p);
  }
  if (block_ == nullptr) [[unlikely]] {
    // Report this once, not for every line up to the next header.
    if (std::exchange(reported_no_block_, true)) return nullptr;
    return Error(p, "expected a basic block definition before instructions");
  }
  if (!has_instrs_ && (*p == 's' || *p == 'l')) {
    const char* word_end = SkipIdentifier(p);
    const Word word = FindWord(TextFrom(p, word_end));
    if (word == Word::kSuccessors) return ReadSuccessors(word_end);
    if (word == Word::kLiveins) return ReadLiveList(word_end, /*is_live_out=*/false);
    if (word == Word::kLiveouts) return ReadLiveList(word_end, /*is_live_out=*/true);
  }
  has_instrs_ = true;
  if (line_reader_ != nullptr) [[unlikely]]
    return line_reader_->ReadLine(p);
  if (*p == '}') return ReadBundleEnd(p);
  return ReadInstr(p);
}

const char* MirBodyReader::ReadBundleEnd(const char* p) {
  if (bundle_ == nullptr) return Error(p, "extraneous closing brace ('}')");
  bundle_ = nullptr;
  return SkipSpace(p + 1);
}

// Headers.

MachineBasicBlock* MirBodyReader::BlockFor(uint64_t number, const char* position) {
  const BlockNumber bound = function_.block_number_bound();
  if (number < bound) {
    if (MachineBasicBlock* block = function_.block(static_cast<BlockNumber>(number))) return block;
  } else if (number >= ~uint32_t{0} || !file_.Spend(2 * (number + 1 - bound))) {
    Error(position, StrCat("machine basic block number #", number, " is out of proportion to the size of the input"));
    return nullptr;
  }
  MachineBasicBlock* block = function_.CreateBlockWithNumber(static_cast<BlockNumber>(number));
  if (undefined_use_.size() < function_.block_number_bound()) {
    undefined_use_.resize(function_.block_number_bound(), nullptr);
  }
  undefined_use_[number] = position;
  return block;
}

const char* MirBodyReader::ReadBlockHeader(const char* p) {
  const char* label = p;
  uint64_t number = 0;
  bool overflow = false;
  p = ScanUnsigned(p + 3, &number, &overflow);
  // Do not report the contents of a block without a valid number.
  reported_no_block_ = true;
  if (overflow || number > ~uint32_t{0}) return Error(label, "expected 32-bit integer (too large)");
  MachineBasicBlock* block = BlockFor(number, label);
  if (block == nullptr) return nullptr;
  if (undefined_use_[number] == nullptr) {
    return Error(label, StrCat("redefinition of machine basic block with id #", number));
  }
  reported_no_block_ = false;
  undefined_use_[number] = nullptr;
  function_.InsertBlock(nullptr, block);
  block_ = block;
  if (fall_through_from_ != nullptr) {
    if (!fall_through_from_->IsSuccessor(block)) fall_through_from_->AddSuccessor(block);
    NormalizeProbabilities(*fall_through_from_);
    fall_through_from_ = nullptr;
  }
  if (*p == '.') {
    const char* name = ++p;
    p = SkipIdentifier(p);
    block->name = TextFrom(name, p);
  }
  p = SkipSpace(p);
  if (*p == '(') {
    do {
      p = ReadBlockAttribute(SkipSpace(p + 1), *block);
      if (p == nullptr) return nullptr;
      p = SkipSpace(p);
    } while (*p == ',');
    if (*p != ')') return ErrorExpected(p, ')');
    p = SkipSpace(p + 1);
  }
  if (*p != ':') return ErrorExpected(p, ':');
  return SkipSpace(p + 1);
}

const char* MirBodyReader::ReadBlockAttribute(const char* p, MachineBasicBlock& block) {
  if (*p == '%') {
    if (std::strncmp(p, "%ir-block.", 10) != 0) return ErrorExpected(p, ')');
    const char* begin = p;
    p += 10;
    std::string_view quoted;
    p = *p == '"' ? ScanString(p, &quoted) : SkipIdentifier(p);
    if (p == nullptr) return Error(begin, "end of machine instruction reached before the closing '\"'");
    block.ir_block = TextFrom(begin, p);
    return p;
  }
  if (std::strncmp(p, "<ir-block badref>", 17) == 0) return p + 17;
  const char* begin = p;
  p = SkipIdentifier(p);
  const Word word = FindWord(TextFrom(begin, p));
  switch (word) {
    case Word::kMachineBlockAddressTaken:
      block.is_machine_block_address_taken = true;
      return p;
    case Word::kLandingPad:
      block.is_landing_pad = true;
      return p;
    case Word::kInlineasmBrIndirectTarget:
      block.is_inlineasm_br_indirect_target = true;
      return p;
    case Word::kEhfuncletEntry:
      block.is_eh_funclet_entry = true;
      return p;
    case Word::kEhscopeEntry:
      return p;
    case Word::kIrBlockAddressTaken: {
      p = SkipSpace(p);
      const char* value = p;
      if (std::strncmp(p, "%ir-block.", 10) != 0) {
        return Error(p, "expected basic block after 'ir_block_address_taken'");
      }
      std::string_view quoted;
      p += 10;
      p = *p == '"' ? ScanString(p, &quoted) : SkipIdentifier(p);
      if (p == nullptr) return ErrorExpected(value, '"');
      block.ir_block_address_taken = TextFrom(value, p);
      return p;
    }
    default:
      return ReadBlockNumberAttributes(begin, word, block);
  }
}

const char* MirBodyReader::ReadBlockNumberAttributes(const char* p, Word word, MachineBasicBlock& block) {
  const char* begin = p;
  p = SkipSpace(SkipIdentifier(p));
  uint64_t value = 0;
  switch (word) {
    case Word::kAlign:
      p = ReadAlignment(p, &value);
      if (p != nullptr) block.align_log2 = static_cast<uint8_t>(__builtin_ctzll(value));
      return p;
    case Word::kBbsections: {
      const char* section = p;
      p = SkipIdentifier(p);
      if (p == section) return Error(p, "Unknown Section ID");
      block.section = TextFrom(section, p);
      return p;
    }
    case Word::kBbId:
      if (!IsDigit(*p)) return Error(p, "Unknown BB ID");
      p = ReadInteger(p, ~uint32_t{0}, "an integer literal", &value);
      if (p == nullptr) return nullptr;
      block.has_bb_id = true;
      block.bb_id = static_cast<uint32_t>(value);
      if (const char* next = SkipSpace(p); IsDigit(*next)) {
        p = ReadInteger(next, ~uint32_t{0}, "an integer literal", &value);
        if (p != nullptr) block.bb_id_clone = static_cast<uint32_t>(value);
      }
      return p;
    case Word::kCallFrameSize:
      if (!IsDigit(*p)) return Error(p, "Unknown call frame size");
      p = ReadInteger(p, ~uint32_t{0}, "an integer literal", &value);
      if (p != nullptr) block.call_frame_size = static_cast<uint32_t>(value);
      return p;
    default:
      return ErrorExpected(begin, ')');
  }
}

// Lists.

const char* MirBodyReader::ReadBlockReference(const char* p, MachineBasicBlock** block) {
  if (p[0] != '%' || !AtBlockLabel(p + 1)) return Error(p, "expected a machine basic block reference");
  const char* begin = p;
  uint64_t number = 0;
  bool overflow = false;
  p = ScanUnsigned(p + 4, &number, &overflow);
  if (overflow || number > ~uint32_t{0}) return Error(begin, "expected 32-bit integer (too large)");
  *block = BlockFor(number, begin);
  if (*block == nullptr) return nullptr;
  if (*p == '.') {
    const char* name = ++p;
    p = SkipIdentifier(p);
    named_uses_.push_back({(*block)->number(), TextFrom(name, p), begin});
  }
  return p;
}

const char* MirBodyReader::ReadSuccessors(const char* p) {
  p = SkipSpace(p);
  if (*p != ':') return ErrorExpected(p, ':');
  has_explicit_successors_ = true;
  p = SkipSpace(p + 1);
  if (IsEol(*p)) return p;
  while (true) {
    MachineBasicBlock* successor = nullptr;
    p = ReadBlockReference(p, &successor);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    uint64_t weight = 0;
    if (*p == '(') {
      p = SkipSpace(p + 1);
      const char* number = p;
      bool overflow = false;
      if (!IsDigit(*p)) return Error(p, "expected an integer literal after '('");
      p = p[0] == '0' && p[1] == 'x' ? ScanHex(p + 2, &weight, &overflow) : ScanUnsigned(p, &weight, &overflow);
      if (overflow || weight > ~uint32_t{0}) {
        return Error(number, "expected 32-bit integer (too large)");
      }
      p = SkipSpace(p);
      if (*p != ')') return ErrorExpected(p, ')');
      p = SkipSpace(p + 1);
    }
    block_->AddSuccessor(successor, BranchProbability(static_cast<uint32_t>(weight)));
    if (*p != ',') break;
    p = SkipSpace(p + 1);
  }
  if (!IsEol(*p)) return Error(p, "expected line break at the end of a list");
  return p;
}

const char* MirBodyReader::ReadLiveList(const char* p, bool is_live_out) {
  p = SkipSpace(p);
  if (*p != ':') return ErrorExpected(p, ':');
  p = SkipSpace(p + 1);
  if (IsEol(*p)) return p;
  while (true) {
    if (*p != '$') return Error(p, "expected a named register");
    Register reg;
    p = ReadPhysicalRegister(p, &reg);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    uint64_t mask = ~uint64_t{0};
    if (*p == ':') {
      p = SkipSpace(p + 1);
      const char* number = p;
      bool overflow = false;
      if (!IsDigit(*p)) return Error(p, "expected a lane mask");
      p = p[0] == '0' && p[1] == 'x' ? ScanHex(p + 2, &mask, &overflow) : ScanUnsigned(p, &mask, &overflow);
      if (overflow) return Error(number, "invalid lane mask value");
      p = SkipSpace(p);
    }
    if (is_live_out) {
      block_->AddLiveOut(reg, mask);
    } else {
      block_->AddLiveIn(reg, mask);
    }
    if (*p != ',') break;
    p = SkipSpace(p + 1);
  }
  if (!IsEol(*p)) return Error(p, "expected line break at the end of a list");
  return p;
}

// Ends of blocks.

// Adds the successors of a block without a list as LLVM guesses them: the blocks that instructions name, in order,
// then the next block if control can get there.
void MirBodyReader::GuessSuccessors() {
  if (seen_in_guess_.size() < function_.block_number_bound()) {
    seen_in_guess_.resize(function_.block_number_bound(), 0);
  }
  ++guess_stamp_;
  const MachineInstr* last = nullptr;
  for (const MachineInstr& instr : *block_) {
    if (!instr.is_debug()) last = &instr;
    if (instr.is_phi()) continue;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_block()) continue;
      if (std::exchange(seen_in_guess_[operand.block()], guess_stamp_) == guess_stamp_) continue;
      block_->AddSuccessor(function_.block(operand.block()));
    }
  }
  if (last == nullptr || !last->is_barrier()) fall_through_from_ = block_;
}

void MirBodyReader::FinishBlock() {
  if (block_ == nullptr) return;
  if (bundle_ != nullptr) {
    Error(bundle_, "expected '}' at the end of the bundle that begins here");
    bundle_ = nullptr;
  }
  if (upgrader_ != nullptr && upgrader_->is_in_call()) {
    RefuseOldInstr(old_name_, "is part of a call that has no end");
    upgrader_.reset();
  }
  if (line_reader_ != nullptr) line_reader_->FinishBlock(*block_);
  if (has_explicit_successors_) {
    NormalizeProbabilities(*block_);
  } else if (line_reader_ == nullptr) {
    GuessSuccessors();
  }
  block_ = nullptr;
  last_instr_ = nullptr;
  has_explicit_successors_ = false;
  has_instrs_ = false;
  reported_no_block_ = false;
}

void MirBodyReader::CheckUses() {
  for (BlockNumber number = 0; number < undefined_use_.size(); ++number) {
    if (undefined_use_[number] == nullptr) continue;
    Error(undefined_use_[number], StrCat("use of undefined machine basic block #", number));
    if (file_.diagnostics.limit_reached()) return;
  }
  for (const NamedBlockUse& use : named_uses_) {
    const MachineBasicBlock* block = function_.block(use.number);
    if (block->name == use.name) continue;
    Error(use.position, StrCat("the name of machine basic block #", use.number, " isn't '", use.name, "'"));
    if (file_.diagnostics.limit_reached()) return;
  }
}

}  // namespace ptxmir

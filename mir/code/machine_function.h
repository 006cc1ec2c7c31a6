// SPDX-License-Identifier: Apache-2.0

// MachineFunction: one function in machine form. It owns the arena that holds its blocks, instructions, operands
// and memory operands, which all share its lifetime.
//
// Symbols (external names, texts of rare operands) and inline metadata are interned per function, so that
// functions can be compiled in parallel without sharing mutable state.

#ifndef PTXMIR_MIR_CODE_MACHINE_FUNCTION_H_
#define PTXMIR_MIR_CODE_MACHINE_FUNCTION_H_

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "mir/code/function_arena.h"
#include "mir/code/instr_desc.h"
#include "mir/code/machine_basic_block.h"
#include "mir/code/machine_frame_info.h"
#include "mir/code/machine_instr.h"
#include "mir/code/machine_register_info.h"

namespace ptxmir {

class Module;

// MIR's function properties and flags, one bit each, in the order in which MIR prints them.
struct FunctionProperty {
  enum : uint32_t {
    kExposesReturnsTwice = 1u << 0,
    kLegalized = 1u << 1,
    kRegBankSelected = 1u << 2,
    kSelected = 1u << 3,
    kFailedISel = 1u << 4,
    kTracksRegLiveness = 1u << 5,
    kHasWinCFI = 1u << 6,
    kNoPhis = 1u << 7,
    kIsSsa = 1u << 8,
    kNoVRegs = 1u << 9,
    kHasFakeUses = 1u << 10,
    kCallsEHReturn = 1u << 11,
    kCallsUnwindInit = 1u << 12,
    kHasEHContTarget = 1u << 13,
    kHasEHScopes = 1u << 14,
    kHasEHFunclets = 1u << 15,
    kIsOutlined = 1u << 16,
    kDebugInstrRef = 1u << 17,
    kFailsVerification = 1u << 18,
    kTracksDebugUserValues = 1u << 19,
    kUseDebugInstrRef = 1u << 20,
    // Set if the input gives the property explicitly; otherwise the reader computes the property from the body.
    kNoPhisGiven = 1u << 28,
    kIsSsaGiven = 1u << 29,
    kNoVRegsGiven = 1u << 30,
    kHasFakeUsesGiven = 1u << 31,
  };
};

struct ConstantPoolEntry {
  std::string_view value;  // in LLVM IR: "double 3.25"
  uint8_t align_log2 = 0;
  bool is_target_specific = false;
};

struct JumpTable {
  std::vector<BlockNumber> blocks;
};

// A YAML section that is kept as text without being interpreted: callSites, entry_values and the like.
struct VerbatimSection {
  std::string_view key;
  std::string_view text;  // everything after "key:", including line breaks
};

class MachineFunction {
 public:
  class BlockIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = MachineBasicBlock;
    using difference_type = std::ptrdiff_t;
    using pointer = MachineBasicBlock*;
    using reference = MachineBasicBlock&;
    BlockIterator() = default;
    explicit BlockIterator(MachineBasicBlock* block) : block_(block) {}
    MachineBasicBlock& operator*() const { return *block_; }
    MachineBasicBlock* operator->() const { return block_; }
    BlockIterator& operator++() {
      block_ = block_->next();
      return *this;
    }
    BlockIterator operator++(int) {
      BlockIterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(BlockIterator a, BlockIterator b) = default;

   private:
    MachineBasicBlock* block_ = nullptr;
  };

  // `module` may be null for a function without a module, as in tests. `target` must outlive the function.
  // Functions of one module share the module's memory pool.
  MachineFunction(Module* module, const TargetInfo& target, std::string_view name, uint32_t number,
                  std::shared_ptr<ArenaChunkPool> memory = nullptr);
  MachineFunction(const MachineFunction&) = delete;
  MachineFunction& operator=(const MachineFunction&) = delete;
  ~MachineFunction();

  Module* module() const { return module_; }
  const TargetInfo& target() const { return target_; }
  std::string_view name() const { return name_; }
  // The IR function must get the same name. Copies the name.
  void set_name(std::string_view name) { name_ = arena_.CopyString(name); }
  // Returns the 0-based position among the module's machine functions. Labels and the local depot are named by it.
  uint32_t number() const { return number_; }

  FunctionArena& arena() { return arena_; }
  const FunctionArena& arena() const { return arena_; }
  MachineRegisterInfo& reg_info() { return reg_info_; }
  const MachineRegisterInfo& reg_info() const { return reg_info_; }
  MachineFrameInfo& frame_info() { return frame_info_; }
  const MachineFrameInfo& frame_info() const { return frame_info_; }

  uint32_t properties() const { return properties_; }
  bool HasProperty(uint32_t property) const { return (properties_ & property) != 0; }
  void SetProperty(uint32_t property, bool value = true) {
    properties_ = value ? properties_ | property : properties_ & ~property;
  }
  uint8_t align_log2 = 0;

  // Blocks, in layout order. Numbers are stable until RenumberBlocks; there may be gaps.
  bool empty() const { return first_block_ == nullptr; }
  MachineBasicBlock* front() const { return first_block_; }
  MachineBasicBlock* back() const { return last_block_; }
  BlockIterator begin() const { return BlockIterator(first_block_); }
  BlockIterator end() const { return BlockIterator(); }
  // Returns the largest block number plus 1: the size of a table that is indexed by block number.
  BlockNumber block_number_bound() const { return static_cast<BlockNumber>(blocks_by_number_.size()); }
  // Returns null if no block has that number.
  MachineBasicBlock* block(BlockNumber number) const {
    return number < blocks_by_number_.size() ? blocks_by_number_[number] : nullptr;
  }
  size_t num_blocks() const { return num_blocks_; }
  // Creates a block with the next free number. It is not in the layout yet.
  MachineBasicBlock* CreateBlock();
  // Like CreateBlock, but with a number of the caller's choice, which must be free.
  MachineBasicBlock* CreateBlockWithNumber(BlockNumber number);
  // Inserts a block into the layout before `before`, or at the end if `before` is null.
  void InsertBlock(MachineBasicBlock* before, MachineBasicBlock* block);
  void MoveBlock(MachineBasicBlock* before, MachineBasicBlock* block);
  // Erases a block with its instructions and outgoing edges. No edge may lead to it.
  void EraseBlock(MachineBasicBlock* block);
  // Splits a block before `at`. The instructions from `at` on move to a new block, which is placed after the old
  // one and takes over all its outgoing edges; PHIs in the successors are updated. The old block gets an edge to
  // the new one and falls through. `at` must not be a PHI.
  MachineBasicBlock* SplitBlock(MachineInstr* at);
  // Numbers the blocks 0, 1, ... in layout order and rewrites operands and jump tables. Returns false if the
  // numbers were already right.
  bool RenumberBlocks();

  // Creates an instruction that is in no block. Its operands are copies of `operands`, linked into the use lists.
  MachineInstr* CreateInstr(Opcode opcode, absl::Span<const MachineOperand> operands,
                            MetadataId debug_loc = MachineInstr::kNoDebugLoc, uint32_t flags = 0);
  MachineInstr* CreateInstr(Opcode opcode, std::initializer_list<MachineOperand> operands,
                            MetadataId debug_loc = MachineInstr::kNoDebugLoc, uint32_t flags = 0) {
    return CreateInstr(opcode, absl::MakeConstSpan(operands.begin(), operands.size()), debug_loc, flags);
  }
  // Creates a copy of `instr` that is in no block. `instr` may belong to another function of the same module and
  // target if it contains no interned texts.
  MachineInstr* CloneInstr(const MachineInstr& instr);
  // Frees an instruction that is in no block.
  void DeleteInstr(MachineInstr* instr);
  // Between these two calls, the id of a deleted instruction is not reused. Code that keeps ids of instructions
  // can then tell whether the instructions still exist. Calls may be nested.
  void HoldInstrIds() { ++num_id_holds_; }
  void ReleaseInstrIds() { --num_id_holds_; }

  const MachineMemOperand* CreateMemOperand(const MachineMemOperand& memoperand) {
    return arena_.New<MachineMemOperand>(memoperand);
  }

  // Interns a string: an external symbol, or the text of an operand that is kept as text.
  SymbolId InternSymbol(std::string_view text);
  // Interns a string without copying it. `text` must live as long as the function.
  SymbolId InternStableSymbol(std::string_view text);
  std::string_view symbol(SymbolId id) const { return symbols_[id]; }
  // Changes a symbol for all operands that name it. `text` must not be another symbol of the function.
  void RenameSymbol(SymbolId id, std::string_view text);
  size_t num_symbols() const { return symbols_.size(); }

  // Metadata references. Ids below kInlineMetadata are slot numbers (!7). Other ids index inline metadata, which
  // is kept as text ("!DIExpression()").
  static constexpr MetadataId kInlineMetadata = 1u << 30;
  MetadataId InternInlineMetadata(std::string_view text) { return InternSymbol(text) + kInlineMetadata; }
  static bool IsInlineMetadata(MetadataId id) { return id >= kInlineMetadata; }
  std::string_view inline_metadata(MetadataId id) const { return symbol(id - kInlineMetadata); }

  std::vector<ConstantPoolEntry>& constants() { return constants_; }
  const std::vector<ConstantPoolEntry>& constants() const { return constants_; }
  std::vector<JumpTable>& jump_tables() { return jump_tables_; }
  const std::vector<JumpTable>& jump_tables() const { return jump_tables_; }
  std::string_view jump_table_kind;  // "inline", "block-address" ...; empty if there is no jump table section
  std::vector<VerbatimSection>& verbatim_sections() { return verbatim_sections_; }
  const std::vector<VerbatimSection>& verbatim_sections() const { return verbatim_sections_; }

  size_t CountInstrs() const;

  // Returns false if no instruction of the function has ever had the opcode, or has ever been tied. Lets a pass
  // skip functions that contain nothing for it.
  bool MayContain(Opcode opcode) const { return (seen_opcodes_[opcode / 64] >> (opcode % 64) & 1) != 0; }
  bool MayHaveTies() const { return seen_tie_; }
  // Returns false if the function has never held an instruction with an opcode for which `predicate` is true.
  template <typename Predicate>
  bool MayContainAny(Predicate predicate) const;

 private:
  friend class MachineInstr;
  friend class MachineOperand;
  friend class MachineRegisterInfo;

  MachineInstr* AllocateInstr(unsigned num_operands, unsigned capacity);
  void NoteOpcode(Opcode opcode) {
    // The verifier reports opcodes that the target does not have.
    if (opcode / 64 < seen_opcodes_.size()) seen_opcodes_[opcode / 64] |= uint64_t{1} << (opcode % 64);
  }
  // Makes operand `index` of `instr` a linked, untied copy of `operand`.
  void PlaceOperand(MachineInstr& instr, unsigned index, const MachineOperand& operand);
  // Like PlaceOperand, but at `place`, which has the id `id`. `is_debug` says whether the instruction is a debug
  // instruction.
  void PlaceOperandAt(MachineOperand* place, unsigned index, ArenaId id, bool is_debug, const MachineOperand& operand);
  void UnlinkOperand(MachineInstr& instr, unsigned index);
  // Moves the operands of `from`, and its place in the block, to the newly allocated `to`. `from` becomes empty.
  void MoveContents(MachineInstr& from, MachineInstr& to);

  Module* module_;
  const TargetInfo& target_;
  FunctionArena arena_;
  std::string_view name_;
  uint32_t number_;
  uint32_t properties_ = 0;
  MachineRegisterInfo reg_info_;
  MachineFrameInfo frame_info_;
  MachineBasicBlock* first_block_ = nullptr;
  MachineBasicBlock* last_block_ = nullptr;
  size_t num_blocks_ = 0;
  std::vector<MachineBasicBlock*> blocks_by_number_;
  // The freed instructions, by operand capacity, each a list linked through `next_`.
  std::vector<ArenaId> free_instrs_;
  uint32_t num_id_holds_ = 0;
  std::vector<std::string_view> symbols_;
  absl::flat_hash_map<std::string_view, SymbolId> symbol_ids_;
  // Maps the arena id of a tied operand to the number of its partner, if that number does not fit into the
  // operand.
  absl::flat_hash_map<ArenaId, uint32_t> far_ties_;
  std::vector<ConstantPoolEntry> constants_;
  std::vector<JumpTable> jump_tables_;
  std::vector<VerbatimSection> verbatim_sections_;
  std::vector<uint64_t> seen_opcodes_;  // one bit per opcode of the target
  bool seen_tie_ = false;
};

template <typename Predicate>
bool MachineFunction::MayContainAny(Predicate predicate) const {
  for (size_t word = 0; word < seen_opcodes_.size(); ++word) {
    for (uint64_t bits = seen_opcodes_[word]; bits != 0; bits &= bits - 1) {
      if (predicate(static_cast<Opcode>(word * 64 + static_cast<size_t>(std::countr_zero(bits))))) return true;
    }
  }
  return false;
}

inline MachineInstr* MachineInstr::next() const {
  return next_ == 0 ? nullptr : FunctionArena::ResolveNear<MachineInstr>(this, next_);
}
inline MachineInstr* MachineInstr::previous() const {
  return previous_ == 0 ? nullptr : FunctionArena::ResolveNear<MachineInstr>(this, previous_);
}
inline void MachineInstr::set_opcode(Opcode opcode) {
  opcode_ = opcode;
  function().NoteOpcode(opcode);
}
inline const InstrDesc& MachineInstr::desc() const { return function().target().Get(opcode_); }
inline MachineBasicBlock* MachineInstr::parent() const { return is_linked() ? function().block(block_) : nullptr; }
inline MachineInstr* MachineBasicBlock::Resolve(ArenaId id) const {
  return id == 0 ? nullptr : function().arena().Resolve<MachineInstr>(id);
}
[[gnu::always_inline]] inline MachineOperand* MachineRegisterInfo::Resolve(ArenaId id) const {
  return id == 0 ? nullptr : function_.arena().Resolve<MachineOperand>(id);
}
[[gnu::always_inline]] inline MachineOperand* MachineRegisterInfo::Next(const MachineOperand* operand) const {
  return Resolve(operand->links_.next);
}
inline void MachineRegisterInfo::Link(MachineOperand& operand, ArenaId id) {
  const Register reg = operand.reg();
  if (!reg.is_valid()) return;
  ArenaId& head = MutableHead(reg);
  if (head == 0) {
    operand.links_ = {.previous = id, .next = 0};
    head = id;
    return;
  }
  MachineOperand* first = Resolve(head);
  const ArenaId last_id = first->links_.previous;
  if (operand.is_def()) {
    // Insert at the front. The `previous` of the new head is the tail.
    operand.links_ = {.previous = last_id, .next = head};
    first->links_.previous = id;
    head = id;
  } else {
    operand.links_ = {.previous = last_id, .next = 0};
    Resolve(last_id)->links_.next = id;
    first->links_.previous = id;
  }
}
template <MachineRegisterInfo::Filter filter>
[[gnu::always_inline]] inline MachineRegisterInfo::OperandRange<filter> MachineRegisterInfo::Range(Register reg) const {
  return {OperandIterator<filter>(this, Resolve(HeadOf(reg)))};
}
template <MachineRegisterInfo::Filter filter>
[[gnu::always_inline]] inline void MachineRegisterInfo::OperandIterator<filter>::Skip() {
  if constexpr (filter == Filter::kDefs) {
    // Definitions come first.
    if (operand_ != nullptr && !operand_->is_def()) operand_ = nullptr;
  } else if constexpr (filter != Filter::kAll) {
    constexpr uint16_t kSkipped =
        MachineOperand::kDefine | (filter == Filter::kNonDebugUses ? MachineOperand::kDebug : 0);
    while (operand_ != nullptr && (operand_->reg_flags() & kSkipped) != 0) operand_ = info_->Next(operand_);
  }
}

inline MachineInstr* MachineRegisterInfo::UniqueDef(Register reg) const {
  // Definitions come first.
  const MachineOperand* const first = Resolve(HeadOf(reg));
  if (first == nullptr || !first->is_def()) return nullptr;
  const MachineOperand* const second = Next(first);
  return second == nullptr || !second->is_def() ? first->parent() : nullptr;
}

// Builds one instruction and inserts it into a block:
//
//     BuildMI(block, before, op::ADD32rr, loc).AddDef(d).AddUse(a).AddUse(b).Insert();
//
// Nothing is created before Insert.
class MachineInstrBuilder {
 public:
  MachineInstrBuilder(MachineBasicBlock& block, MachineInstr* before, Opcode opcode, MetadataId loc)
      : block_(block), before_(before), opcode_(opcode), loc_(loc) {}
  MachineInstrBuilder& AddDef(Register reg, uint16_t flags = 0) {
    return Add(MachineOperand::CreateReg(reg, static_cast<uint16_t>(flags | MachineOperand::kDefine)));
  }
  MachineInstrBuilder& AddUse(Register reg, uint16_t flags = 0) { return Add(MachineOperand::CreateReg(reg, flags)); }
  MachineInstrBuilder& AddImm(int64_t value) { return Add(MachineOperand::CreateImm(value)); }
  MachineInstrBuilder& AddBlock(const MachineBasicBlock& block) {
    return Add(MachineOperand::CreateBlock(block.number()));
  }
  MachineInstrBuilder& Add(const MachineOperand& operand) {
    operands_.push_back(operand);
    return *this;
  }
  MachineInstrBuilder& SetFlags(uint32_t flags) {
    flags_ = flags;
    return *this;
  }
  MachineInstr* Insert() {
    MachineInstr* instr = block_.function().CreateInstr(opcode_, operands_, loc_, flags_);
    block_.Insert(before_, instr);
    return instr;
  }

 private:
  MachineBasicBlock& block_;
  MachineInstr* before_;
  Opcode opcode_;
  MetadataId loc_;
  uint32_t flags_ = 0;
  absl::InlinedVector<MachineOperand, 10> operands_;
};

// Starts an instruction that will be inserted before `before`, or at the end of the block if `before` is null.
inline MachineInstrBuilder BuildMI(MachineBasicBlock& block, MachineInstr* before, Opcode opcode,
                                   MetadataId loc = MachineInstr::kNoDebugLoc) {
  return MachineInstrBuilder(block, before, opcode, loc);
}

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_MACHINE_FUNCTION_H_

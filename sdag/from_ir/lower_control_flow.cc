// SPDX-License-Identifier: Apache-2.0

// Terminators and PHIs.
//
// A switch becomes clusters of cases: a single value, a range of values with one target, bit tests, or a jump table. By
// LLVM's measures, a table takes at least four ranges that are close to each other; bit tests take ranges with up to
// three targets within the bits of a register, if there are enough of them. A tree of comparisons leads to the
// clusters, and the last few are tried one by one. LLVM finds the fewest clusters, in quadratic time; here each one,
// from the left, is as long as possible.

#include <algorithm>
#include <bit>

#include "absl/container/flat_hash_map.h"
#include "sdag/from_ir/lowerings.h"
#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

// An edge to be, with its share of what the block is executed. Shares of a block need not add up to anything.
struct Edge {
  MachineBasicBlock* target;
  uint64_t share;
};

// Adds the edges of a block, one to each target.
void AddEdges(MachineBasicBlock& block, absl::Span<const Edge> edges) {
  std::vector<Edge> joined;
  absl::flat_hash_map<const MachineBasicBlock*, size_t> index_of;
  uint64_t sum = 0;
  for (const Edge& edge : edges) {
    sum += edge.share;
    const auto [known, is_new] = index_of.emplace(edge.target, joined.size());
    if (is_new) {
      joined.push_back(edge);
    } else {
      joined[known->second].share += edge.share;
    }
  }
  constexpr uint64_t kOne = BranchProbability::kDenominator;
  for (const Edge& edge : joined) {
    const uint64_t probability = sum == 0 ? kOne / joined.size() : (edge.share * kOne + sum / 2) / sum;
    block.AddSuccessor(edge.target, BranchProbability(static_cast<uint32_t>(probability)));
  }
}

SDValue BlockNode(FunctionBuilder& builder, const MachineBasicBlock& block) {
  return builder.dag().GetBasicBlock(block.number());
}

// Ends the block at hand with a branch.
void BranchTo(FunctionBuilder& builder, MachineBasicBlock& target) {
  SDValue chain = builder.ControlRoot();
  if (!builder.block().IsLayoutSuccessor(&target)) {
    chain = builder.Node(isd::kBr, MVT::kOther, {chain, BlockNode(builder, target)});
  }
  builder.dag().SetRoot(chain);
  AddEdges(builder.block(), {{&target, 1}});
}

void BranchIf(FunctionBuilder& builder, SDValue condition, const Edge& if_true, const Edge& if_false) {
  MachineBasicBlock *taken = if_true.target, *other = if_false.target;
  if (taken == other) return BranchTo(builder, *taken);
  MachineBasicBlock& block = builder.block();
  if (block.IsLayoutSuccessor(taken)) {
    // Invert the condition so that its true target is the fallthrough.
    condition = builder.Node(isd::kXor, MVT::kI1, {condition, builder.dag().GetConstant(1, MVT::kI1)});
    std::swap(taken, other);
  }
  SDValue chain = builder.ControlRoot();
  chain = builder.Node(isd::kBrCond, MVT::kOther, {chain, condition, BlockNode(builder, *taken)});
  if (!block.IsLayoutSuccessor(other)) {
    chain = builder.Node(isd::kBr, MVT::kOther, {chain, BlockNode(builder, *other)});
  }
  builder.dag().SetRoot(chain);
  AddEdges(block, {if_true, if_false});
}

struct SwitchCase {
  int64_t value;
  MachineBasicBlock* target;
  uint64_t share;  // of the executions of the switch
};

class SwitchLowering {
 public:
  SwitchLowering(FunctionBuilder& builder, const ir::Instruction& instruction)
      : builder_(builder), instruction_(instruction), default_(*builder.BlockOf(instruction.successor(0))) {}

  void Run() {
    const ir::Value& value = instruction_.operand(0);
    const absl::Span<const ValuePart> parts = builder_.PartsOf(value.type());
    if (parts.size() != 1) return;
    part_ = parts[0];
    if (part_.bits > 64) return LowerWide(value);
    CollectCases();
    if (cases_.empty()) return BranchTo(builder_, default_);
    FindClusters();
    // All blocks of the tree read the value from registers.
    value_ = builder_.SignExtended(builder_.UseOne(value), part_);
    if (clusters_.size() > 1 || clusters_[0].kind != Cluster::Kind::kRange) {
      registers_ = builder_.NewRegisters(value.type());
      builder_.CopyToRegisters({&value_, 1}, registers_);
    }
    Lower(0, clusters_.size(), default_share_);
  }

 private:
  struct Cluster {
    enum class Kind : uint8_t { kRange, kBitTests, kTable };
    int64_t low, high;          // both included
    MachineBasicBlock* target;  // of all values of a range
    uint64_t share = 0;         // of all cases together
    size_t begin = 0, end = 0;  // the cases
    Kind kind = Kind::kRange;
    uint64_t span() const { return static_cast<uint64_t>(high) - static_cast<uint64_t>(low); }
  };
  static constexpr size_t kLinear = 3;
  // LLVM's limits: the least number of clusters of a table, and the least percentage of its entries that are cases.
  static constexpr size_t kMinTableClusters = 4;
  static constexpr uint64_t kMinDensity = 10;
  // How many clusters after the last one that fits a table are examined for a longer table.
  static constexpr size_t kLookAhead = 256;
  static constexpr uint64_t kMaxBits = 64;
  // The least number of comparisons that one, two and three bit tests replace, as in LLVM.
  static constexpr size_t kMinCompares[] = {3, 5, 6};

  void CollectCases() {
    default_share_ = builder_.ProbabilityOf(instruction_, 0);
    for (unsigned i = 1; i < instruction_.num_successors(); ++i) {
      const auto& constant = static_cast<const ir::ConstantValue&>(instruction_.operand(2 * i)).constant();
      MachineBasicBlock* target = builder_.BlockOf(instruction_.successor(i));
      const int64_t value = constant.kind == IrConstant::Kind::kInteger ? constant.SExtValue() : 0;
      const uint64_t share = builder_.ProbabilityOf(instruction_, i);
      if (target == &default_) {
        default_share_ += share;
      } else {
        cases_.push_back({value, target, share});
      }
    }
    std::sort(cases_.begin(), cases_.end(), [](const SwitchCase& a, const SwitchCase& b) { return a.value < b.value; });
  }

  void FindClusters() {
    std::vector<Cluster> ranges;
    for (size_t i = 0; i < cases_.size(); ++i) {
      const SwitchCase& next = cases_[i];
      if (!ranges.empty() && ranges.back().target == next.target && ranges.back().high + 1 == next.value) {
        ranges.back().high = next.value;
        ranges.back().end = i + 1;
        ranges.back().share += next.share;
      } else {
        ranges.push_back({next.value, next.value, next.target, next.share, i, i + 1});
      }
    }
    for (size_t begin = 0; begin < ranges.size();) {
      const size_t end_of_table = EndOfTable(ranges, begin);
      const size_t end_of_bits = EndOfBitTests(ranges, begin);
      const size_t end = std::max(end_of_table, end_of_bits);
      Cluster cluster = ranges[begin];
      if (end > begin + 1) {
        cluster.kind = end_of_bits >= end_of_table ? Cluster::Kind::kBitTests : Cluster::Kind::kTable;
        cluster.high = ranges[end - 1].high;
        cluster.end = ranges[end - 1].end;
        for (size_t i = begin + 1; i < end; ++i) cluster.share += ranges[i].share;
      }
      clusters_.push_back(cluster);
      begin = end;
    }
  }

  static uint64_t SpanOf(const Cluster& first, const Cluster& last) {
    return static_cast<uint64_t>(last.high) - static_cast<uint64_t>(first.low);
  }

  // Return the end of the longest table, or bit tests, that begin with a range; the next range if there are none.
  static size_t EndOfTable(absl::Span<const Cluster> ranges, size_t begin) {
    size_t best = begin + 1;
    for (size_t end = begin + kMinTableClusters; end <= ranges.size() && end <= best + kLookAhead; ++end) {
      const uint64_t num_cases = ranges[end - 1].end - ranges[begin].begin;
      if (SpanOf(ranges[begin], ranges[end - 1]) < num_cases * 100 / kMinDensity) best = end;
    }
    return best;
  }
  static size_t EndOfBitTests(absl::Span<const Cluster> ranges, size_t begin) {
    absl::InlinedVector<const MachineBasicBlock*, std::size(kMinCompares)> targets;
    size_t best = begin + 1, num_compares = 0;
    for (size_t i = begin; i < ranges.size() && SpanOf(ranges[begin], ranges[i]) < kMaxBits; ++i) {
      if (std::find(targets.begin(), targets.end(), ranges[i].target) == targets.end()) {
        if (targets.size() == std::size(kMinCompares)) break;
        targets.push_back(ranges[i].target);
      }
      num_compares += ranges[i].span() == 0 ? 1 : 2;
      if (num_compares >= kMinCompares[targets.size() - 1]) best = i + 1;
    }
    return best;
  }

  // Begins another block, in which the value is read again.
  void Enter(MachineBasicBlock& block) {
    builder_.EnterBlock(block);
    builder_.NoteOwner(block, *instruction_.parent());
    ValueNodes parts;
    const TypeList types = builder_.CrossingTypesOf(part_.type);
    for (size_t i = 0; i < types.size(); ++i) {
      parts.push_back(builder_.dag().GetCopyFromReg({}, builder_.dag().EntryToken(), registers_[i], types[i]));
    }
    value_ = builder_.Join(parts, part_.type);
  }

  // Compares a value of more than 64 bits with one case after the other.
  void LowerWide(const ir::Value& value) {
    const unsigned num_successors = instruction_.num_successors();
    std::vector<uint64_t> shares(num_successors + 1, builder_.ProbabilityOf(instruction_, 0));  // of what is not tested
    for (unsigned i = num_successors - 1; i > 0; --i)
      shares[i] = shares[i + 1] + builder_.ProbabilityOf(instruction_, i);
    if (num_successors == 1) return BranchTo(builder_, default_);
    value_ = builder_.ZeroExtended(builder_.UseOne(value), part_);
    if (num_successors > 2) {
      registers_ = builder_.NewRegisters(value.type());
      builder_.CopyToRegisters({&value_, 1}, registers_);
    }
    for (unsigned i = 1; i < num_successors; ++i) {
      const bool is_last = i + 1 == num_successors;
      const SDValue number = builder_.ZeroExtended(builder_.UseOne(instruction_.operand(2 * i)), part_);
      const SDValue is_equal = builder_.dag().GetSetCC(builder_.Loc(), MVT::kI1, value_, number, CondCode::kEq);
      const Edge next = {is_last ? &default_ : &builder_.NewBlock(), shares[i + 1]};
      BranchIf(builder_, is_equal,
               {builder_.BlockOf(instruction_.successor(i)), builder_.ProbabilityOf(instruction_, i)}, next);
      if (!is_last) Enter(*next.target);
    }
  }

  SDValue Number(int64_t value) { return builder_.Number(value, part_.type); }
  SDValue Compare(SDValue left, int64_t right, CondCode code) {
    return builder_.dag().GetSetCC(builder_.Loc(), MVT::kI1, left, Number(right), code);
  }

  uint64_t ShareOf(size_t begin, size_t end) const {
    uint64_t share = 0;
    for (size_t i = begin; i < end; ++i) share += clusters_[i].share;
    return share;
  }

  // `default_share` is the share of the default that is reached from here.
  void Lower(size_t begin, size_t end, uint64_t default_share) {
    if (end - begin <= kLinear) return LowerLinear(begin, end, default_share);
    const size_t middle = begin + (end - begin) / 2;
    const uint64_t half = default_share / 2;
    // The block that is put behind this one first comes second.
    MachineBasicBlock& high = builder_.NewBlock();
    MachineBasicBlock& low = builder_.NewBlock();
    BranchIf(builder_, Compare(value_, clusters_[middle].low, CondCode::kLt), {&low, ShareOf(begin, middle) + half},
             {&high, ShareOf(middle, end) + half});
    Enter(low);
    Lower(begin, middle, half);
    Enter(high);
    Lower(middle, end, half);
  }

  void LowerLinear(size_t begin, size_t end, uint64_t default_share) {
    for (size_t i = begin; i < end; ++i) {
      const bool is_last = i + 1 == end;
      const Cluster& cluster = clusters_[i];
      const Edge next = {is_last ? &default_ : &builder_.NewBlock(), ShareOf(i + 1, end) + default_share};
      const Edge found = {cluster.target, cluster.share};
      if (cluster.kind == Cluster::Kind::kTable) {
        LowerTable(cluster, next, default_share);
      } else if (cluster.kind == Cluster::Kind::kBitTests) {
        LowerBitTests(cluster, next, default_share);
      } else if (cluster.low == cluster.high) {
        BranchIf(builder_, Compare(value_, cluster.low, CondCode::kEq), found, next);
      } else {
        BranchIf(builder_, Compare(From(cluster.low), static_cast<int64_t>(cluster.span()), CondCode::kUle), found,
                 next);
      }
      if (!is_last) Enter(*next.target);
    }
  }

  SDValue From(int64_t low) { return low == 0 ? value_ : builder_.Node(isd::kSub, part_.type, {value_, Number(low)}); }

  // Begins a block that is reached with the values from `low` on, `last` of them after the first; others take `next`.
  void EnterIfWithin(int64_t low, uint64_t last, uint64_t share, const Edge& next) {
    MachineBasicBlock& block = builder_.NewBlock();
    BranchIf(builder_, Compare(From(low), static_cast<int64_t>(last), CondCode::kUle), {&block, share}, next);
    Enter(block);
  }

  // The values of a cluster that have one target.
  struct BitTest {
    MachineBasicBlock* target;
    uint64_t mask = 0;  // bit i stands for the value base + i
    uint64_t share = 0;
  };
  // Returns the tests of a cluster, the most frequent ones first.
  absl::InlinedVector<BitTest, std::size(kMinCompares)> BitTestsOf(const Cluster& cluster, int64_t base) const {
    absl::InlinedVector<BitTest, std::size(kMinCompares)> tests;
    for (size_t i = cluster.begin; i < cluster.end; ++i) {
      auto test = std::find_if(tests.begin(), tests.end(),
                               [&](const BitTest& each) { return each.target == cases_[i].target; });
      if (test == tests.end()) test = tests.insert(tests.end(), BitTest{cases_[i].target});
      test->mask |= uint64_t{1} << (static_cast<uint64_t>(cases_[i].value) - static_cast<uint64_t>(base));
      test->share += cases_[i].share;
    }
    std::stable_sort(tests.begin(), tests.end(), [](const BitTest& a, const BitTest& b) { return a.share > b.share; });
    return tests;
  }

  // As for tables, one half of the default is assumed to be reached through the tests.
  void LowerBitTests(const Cluster& cluster, const Edge& next, uint64_t default_share) {
    const bool begins_at_zero = cluster.low >= 0 && static_cast<uint64_t>(cluster.high) < kMaxBits;
    const int64_t base = begins_at_zero ? 0 : cluster.low;
    const uint64_t last = static_cast<uint64_t>(cluster.high) - static_cast<uint64_t>(base);
    const auto tests = BitTestsOf(cluster, base);
    uint64_t share = cluster.share + default_share / 2;
    EnterIfWithin(base, last, share, {next.target, next.share - default_share / 2});
    const MVT word = last < 32 ? MVT::kI32 : MVT::kI64;
    SDValue bit = builder_.Node(isd::kShl, word,
                                {builder_.Number(1, word), builder_.Resize(From(base), MVT::kI32, isd::kZeroExtend)});
    Register register_of_bit;
    if (tests.size() > 1) {
      register_of_bit = builder_.machine_function().reg_info().CreateVirtualRegister(*RegClassFor(word));
      builder_.CopyToRegisters({&bit, 1}, {&register_of_bit, 1});
    }
    uint64_t untested = ~uint64_t{0} >> (kMaxBits - 1 - last);
    for (size_t i = 0; i < tests.size(); ++i) {
      const BitTest& test = tests[i];
      const bool is_last = i + 1 == tests.size();
      share -= test.share;
      if (test.mask == untested) return BranchTo(builder_, *test.target);
      untested &= ~test.mask;
      const Edge other = {is_last ? &default_ : &builder_.NewBlock(), share};
      BranchIf(builder_, Test(test, base, bit, word), {test.target, test.share}, other);
      if (is_last) return;
      Enter(*other.target);
      bit = builder_.dag().GetCopyFromReg({}, builder_.dag().EntryToken(), register_of_bit, word);
    }
  }

  SDValue Test(const BitTest& test, int64_t base, SDValue bit, MVT word) {
    if (std::has_single_bit(test.mask)) {
      return Compare(value_, base + std::countr_zero(test.mask), CondCode::kEq);
    }
    const SDValue masked =
        builder_.Node(isd::kAnd, word, {bit, builder_.Number(static_cast<int64_t>(test.mask), word)});
    return builder_.dag().GetSetCC(builder_.Loc(), MVT::kI1, masked, builder_.Number(0, word), CondCode::kNe);
  }

  // As in LLVM, one half of the default is assumed to be reached through the table.
  void LowerTable(const Cluster& cluster, const Edge& next, uint64_t default_share) {
    const uint64_t half = default_share / 2;
    EnterIfWithin(cluster.low, cluster.span(), cluster.share + half, {next.target, next.share - half});
    std::vector<Edge> entries(cluster.span() + 1, {&default_, 0});
    for (size_t i = cluster.begin; i < cluster.end; ++i) {
      entries[static_cast<uint64_t>(cases_[i].value) - static_cast<uint64_t>(cluster.low)] = {cases_[i].target,
                                                                                              cases_[i].share};
    }
    const auto gap =
        std::find_if(entries.begin(), entries.end(), [&](const Edge& entry) { return entry.target == &default_; });
    if (gap != entries.end()) gap->share = half;
    JumpTable table;
    for (const Edge& entry : entries) table.blocks.push_back(entry.target->number());
    std::vector<JumpTable>& tables = builder_.machine_function().jump_tables();
    const auto number = static_cast<uint32_t>(tables.size());
    tables.push_back(std::move(table));
    const SDValue index = builder_.Resize(From(cluster.low), MVT::kI32, isd::kZeroExtend);
    const SDValue chain = builder_.ControlRoot();
    builder_.dag().SetRoot(
        builder_.Node(isd::kBrJT, MVT::kOther, {chain, builder_.dag().GetJumpTable(number, MVT::kI64, true), index}));
    AddEdges(builder_.block(), entries);
  }

  FunctionBuilder& builder_;
  const ir::Instruction& instruction_;
  MachineBasicBlock& default_;
  uint64_t default_share_ = 0;
  ValuePart part_ = {};
  SDValue value_;  // in the block at hand, sign-extended
  absl::InlinedVector<Register, 4> registers_;
  std::vector<SwitchCase> cases_;
  std::vector<Cluster> clusters_;
};

// Nothing may come after this point. A thread that gets here ends.
void LowerUnreachable(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Instruction* before = instruction.previous();
  const bool has_ended = before != nullptr && builder.EndsThread(*before);
  if (!has_ended) {
    const MVT none = MVT::kOther;
    builder.SetRoot(
        builder.dag().GetIntrinsic(isd::kIntrinsicVoid, "llvm.nvvm.exit", builder.Loc(), {&none, 1}, {builder.Root()}));
  }
  builder.dag().SetRoot(builder.Node(isd::kNvRetGlue, MVT::kOther, {builder.ControlRoot()}));
}

}  // namespace

void LowerTerminator(FunctionBuilder& builder, const ir::Instruction& instruction) {
  switch (instruction.opcode()) {
    case ir::Opcode::kRet:
      return LowerReturn(builder, instruction);
    case ir::Opcode::kBr:
      if (instruction.num_successors() == 1) {
        return BranchTo(builder, *builder.BlockOf(instruction.successor(0)));
      }
      return BranchIf(builder, builder.UseOne(instruction.operand(0)),
                      {builder.BlockOf(instruction.successor(0)), builder.ProbabilityOf(instruction, 0)},
                      {builder.BlockOf(instruction.successor(1)), builder.ProbabilityOf(instruction, 1)});
    case ir::Opcode::kSwitch:
      return SwitchLowering(builder, instruction).Run();
    default:
      return LowerUnreachable(builder, instruction);
  }
}

void CopyIncomingValues(FunctionBuilder& builder, const ir::BasicBlock& block) {
  for (const ir::Use& use : block.uses()) {
    const ir::Instruction& phi = use.user();
    if (phi.opcode() != ir::Opcode::kPhi || phi.parent() == nullptr) continue;
    if (builder.BlockOf(*phi.parent()) == nullptr || !HasCodeUses(phi)) continue;
    const ir::Value& value = phi.incoming_value(use.operand_number() / 2);
    if (!builder.RegistersOf(value).empty() || builder.HasIncoming(phi, block)) continue;
    const absl::InlinedVector<Register, 4> registers = builder.NewRegisters(phi.type());
    builder.CopyToRegisters(builder.Use(value), registers);
    builder.SetIncoming(phi, block, registers);
  }
}

void MakePhis(FunctionBuilder& builder) {
  const std::vector<ir::BasicBlock*>& blocks = builder.function().blocks();
  std::vector<unsigned> incoming(blocks.size());  // the number of the value, by number of the predecessor
  for (const ir::BasicBlock* block : blocks) {
    MachineBasicBlock* machine_block = builder.BlockOf(*block);
    if (machine_block == nullptr) continue;
    for (const ir::Instruction* phi = block->first(); phi != nullptr && phi->opcode() == ir::Opcode::kPhi;
         phi = phi->next()) {
      if (!HasCodeUses(*phi)) continue;
      for (unsigned i = 0; i < phi->num_incoming(); ++i) incoming[phi->incoming_block(i).number()] = i;
      const absl::Span<const Register> results = builder.RegistersOf(*phi);
      for (size_t part = 0; part < results.size(); ++part) {
        MachineInstrBuilder instr = BuildMI(*machine_block, machine_block->FirstNonPhi(), generic::kPhi);
        instr.AddDef(results[part]);
        for (MachineBasicBlock* predecessor : machine_block->predecessors()) {
          const ir::BasicBlock& owner = builder.OwnerOf(*predecessor);
          const ir::Value& value = phi->incoming_value(incoming[owner.number()]);
          absl::Span<const Register> registers = builder.RegistersOf(value);
          if (registers.empty()) registers = builder.IncomingRegisters(*phi, owner);
          if (part < registers.size()) instr.AddUse(registers[part]).AddBlock(*predecessor);
        }
        instr.Insert();
      }
    }
  }
}

}  // namespace ptxmir::sdag

// SPDX-License-Identifier: Apache-2.0

// Blocks, terminators, PHIs and structured control flow of KernelBuilder.

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ptxmir/kernel_builder.h"
#include "sdag/builder/function_state.h"

namespace ptxmir::builder {

using sdag::CondCode;
using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

Block KernelBuilder::CreateBlock() {
  if (!state_->EnterAnywhere("CreateBlock()")) return {};
  return state_->CreateBlock();
}

void KernelBuilder::SetInsertPoint(Block block) {
  if (!state_->EnterAnywhere("SetInsertPoint(block)") || !state_->CheckBlock(block)) return;
  state_->SetInsertPoint(block);
}

Block KernelBuilder::current_block() const { return state_->current(); }

void KernelBuilder::Branch(Block to) {
  if (!state_->Enter("Branch(to)") || !state_->CheckTarget(to)) return;
  state_->Branch(to);
}

void KernelBuilder::BranchIf(Value condition, Block then_block, Block else_block) {
  if (!state_->Enter("BranchIf(condition, then, else)") || !state_->Check({condition}) ||
      !state_->CheckTarget(then_block) || !state_->CheckTarget(else_block)) {
    return;
  }
  if (condition.type() != kI1)
    return state_->Error(StrCat("the condition is ", condition.type().ToString(), ", not i1"));
  state_->BranchIf(state_->Use(condition), then_block, else_block);
}

namespace {

// Lowers a switch. The cases, in ascending order, are grouped into clusters: jump tables where enough cases are
// close to each other, by LLVM's measure, and single cases. A tree of comparisons leads to the clusters; the last
// few clusters are tried one by one. LLVM finds the fewest tables, in quadratic time. Here each table, from the
// left, is as long as possible.
class SwitchLowering {
 public:
  SwitchLowering(FunctionState& state, Value value, Block default_block, std::span<const KernelBuilder::Case> cases)
      : state_(state), value_(value), default_block_(default_block), cases_(cases) {}

  void Run() {
    FindClusters();
    Lower(0, clusters_.size());
  }

 private:
  struct Cluster {
    size_t begin, end;  // range of cases: one, or those of a table
    bool is_table() const { return end - begin > 1; }
  };
  static constexpr size_t kLinear = 3;
  // LLVM's limits: the least number of cases of a table, and the least percentage of its entries that are cases.
  static constexpr size_t kMinTableCases = 4;
  static constexpr uint64_t kMinDensity = 10;
  // How many cases after the last one that fits a table are examined for a longer table.
  static constexpr size_t kLookAhead = 256;

  // Returns the largest value, relative to the first case's.
  uint64_t Span(size_t begin, size_t end) const {
    return static_cast<uint64_t>(cases_[end - 1].value) - static_cast<uint64_t>(cases_[begin].value);
  }

  void FindClusters() {
    for (size_t begin = 0; begin < cases_.size();) {
      size_t best = begin + 1;
      for (size_t end = begin + kMinTableCases; end <= cases_.size() && end <= best + kLookAhead; ++end) {
        if (Span(begin, end) < (end - begin) * 100 / kMinDensity) best = end;
      }
      clusters_.push_back({begin, best});
      begin = best;
    }
  }

  void Lower(size_t begin, size_t end) {
    if (end - begin <= kLinear) return LowerLinear(begin, end);
    const size_t middle = begin + (end - begin) / 2;
    const Block low = state_.CreateInnerBlock(), high = state_.CreateInnerBlock();
    state_.BranchIf(Compare(cases_[clusters_[middle].begin].value, CondCode::kLt), low, high);
    state_.SetInsertPoint(low);
    Lower(begin, middle);
    state_.SetInsertPoint(high);
    Lower(middle, end);
  }

  void LowerLinear(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const bool is_last = i + 1 == end;
      const Block next = is_last ? default_block_ : state_.CreateInnerBlock();
      const KernelBuilder::Case& first = cases_[clusters_[i].begin];
      if (clusters_[i].is_table()) {
        LowerTable(clusters_[i], next);
      } else {
        state_.BranchIf(Compare(first.value, CondCode::kEq), first.block, next);
      }
      if (!is_last) state_.SetInsertPoint(next);
    }
    if (begin == end) state_.Branch(default_block_);
  }

  void LowerTable(const Cluster& cluster, Block next) {
    const MVT type = *MvtOf(value_.type());
    const int64_t low = cases_[cluster.begin].value;
    const uint64_t span = Span(cluster.begin, cluster.end);
    SDValue index = state_.Use(value_);
    if (low != 0) {
      index = state_.dag().GetNode(isd::kSub, state_.NextLoc(), type, {index, state_.Integer(low, type)});
    }
    const Value counted = state_.Make(value_.type(), index);
    const SDValue limit = state_.dag().GetConstant(span, type);
    const SDValue is_in = state_.dag().GetSetCC(state_.NextLoc(), MVT::kI1, index, limit, CondCode::kUle);
    const Block table = state_.CreateInnerBlock();
    state_.BranchIf(is_in, table, next);
    state_.SetInsertPoint(table);
    std::vector<Block> entries(span + 1, default_block_);
    for (size_t i = cluster.begin; i < cluster.end; ++i) {
      entries[static_cast<uint64_t>(cases_[i].value) - static_cast<uint64_t>(low)] = cases_[i].block;
    }
    index = state_.Use(counted);
    const unsigned bits = value_.type().bits();
    if (bits != 32) {
      index = state_.dag().GetNode(bits < 32 ? isd::kZeroExtend : isd::kTruncate, state_.NextLoc(), MVT::kI32, {index});
    }
    state_.BranchByTable(index, entries);
  }

  SDValue Compare(int64_t constant, CondCode code) {
    const MVT type = *MvtOf(value_.type());
    const SDValue value = state_.Use(value_);
    return state_.dag().GetSetCC(state_.NextLoc(), MVT::kI1, value, state_.Integer(constant, type), code);
  }

  FunctionState& state_;
  const Value value_;
  const Block default_block_;
  const std::span<const KernelBuilder::Case> cases_;
  std::vector<Cluster> clusters_;
};

}  // namespace

void KernelBuilder::Switch(Value value, Block default_block, std::span<const Case> cases) {
  if (!state_->Enter("Switch(value, default, cases)") || !state_->Check({value}) ||
      !state_->CheckTarget(default_block)) {
    return;
  }
  const unsigned bits = value.type().bits();
  if (!value.type().is_integer() || value.type().is_vector() || bits > 64 || bits < 8) {
    return state_->Error(StrCat(value.type().ToString(), " cannot be switched over"));
  }
  std::vector<Case> sorted(cases.begin(), cases.end());
  for (const Case& c : sorted) {
    if (!state_->CheckTarget(c.block)) return;
    if (bits < 64 && (c.value < -(int64_t{1} << (bits - 1)) || c.value >= int64_t{1} << (bits - 1))) {
      return state_->Error(StrCat(c.value, " is no ", value.type().ToString()));
    }
  }
  std::sort(sorted.begin(), sorted.end(), [](const Case& a, const Case& b) { return a.value < b.value; });
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].value == sorted[i - 1].value) return state_->Error(StrCat("two cases are ", sorted[i].value));
  }
  const Block from = state_->current();
  SwitchLowering(*state_, value, default_block, sorted).Run();
  state_->SetInsertPoint(from);
}

void KernelBuilder::SetLocation(std::string_view file, uint32_t line, uint32_t column) {
  if (!state_->EnterAnywhere("SetLocation(file, line, column)")) return;
  if (file.empty()) return state_->Error("a file without a name");
  for (const char c : file) {
    if (c == '"' || static_cast<unsigned char>(c) < 0x20)
      return state_->Error("ptxas does not read such a name of a file");
  }
  if (line == 0) return state_->Error("lines are counted from 1");
  // A DILocation holds no larger column.
  if (column > 0xffff) return state_->Error(StrCat("column ", column, " is larger than 65535"));
  state_->SetLocation(file, line, column);
}

void KernelBuilder::ClearLocation() {
  if (state_->EnterAnywhere("ClearLocation()")) state_->ClearLocation();
}

void KernelBuilder::Unreachable() {
  if (!state_->Enter("Unreachable()")) return;
  state_->Trap();
}

Value KernelBuilder::Phi(Type type) {
  if (!state_->Enter("Phi(type)") || !state_->CheckType(type)) return {};
  return state_->Phi(type);
}

void KernelBuilder::AddIncoming(Value phi, Value value, Block from) {
  if (!state_->EnterAnywhere("AddIncoming(phi, value, from)") || !state_->Check({phi, value}) ||
      !state_->CheckSameType(phi, value) || !state_->CheckBlock(from)) {
    return;
  }
  state_->AddIncoming(phi, value, from);
}

// Structured control flow.

void KernelBuilder::If(Value condition, const std::function<void()>& then_body) { If(condition, then_body, nullptr); }

void KernelBuilder::If(Value condition, const std::function<void()>& then_body,
                       const std::function<void()>& else_body) {
  const Block then_block = CreateBlock(), end = CreateBlock();
  const Block else_block = else_body ? CreateBlock() : end;
  BranchIf(condition, then_block, else_block);
  if (!status().ok()) return;
  SetInsertPoint(then_block);
  if (then_body) then_body();
  if (state_->is_open()) Branch(end);
  if (else_body) {
    SetInsertPoint(else_block);
    else_body();
    if (state_->is_open()) Branch(end);
  }
  SetInsertPoint(end);
}

void KernelBuilder::ForRange(Value begin, Value end, Value step, const std::function<void(Value)>& body) {
  ForRange(begin, end, step, {}, [&](Value i, std::span<const Value>) {
    if (body) body(i);
    return std::vector<Value>();
  });
}

std::vector<Value> KernelBuilder::ForRange(Value begin, Value end, Value step, std::span<const Value> initial,
                                           const LoopBody& body) {
  std::vector<Value> carried(initial.size());
  if (!state_->Enter("ForRange(begin, end, step)") || !state_->Check({begin, end, step}) || !state_->Check(initial) ||
      !state_->CheckSameType(begin, end) || !state_->CheckSameType(begin, step) ||
      !state_->CheckClass(begin.type(), TypeClass::kInteger)) {
    return carried;
  }
  if (begin.type().is_vector() || begin.type() == kI1) {
    state_->Error(StrCat("a loop cannot count in ", begin.type().ToString()));
    return carried;
  }
  const Block entry = current_block(), header = CreateBlock(), inside = CreateBlock(), exit = CreateBlock();
  Branch(header);
  SetInsertPoint(header);
  const Value i = Phi(begin.type());
  AddIncoming(i, begin, entry);
  for (size_t k = 0; k < initial.size(); ++k) {
    carried[k] = Phi(initial[k].type());
    AddIncoming(carried[k], initial[k], entry);
  }
  BranchIf(Less(i, end), inside, exit);
  if (!status().ok()) return carried;
  SetInsertPoint(inside);
  const std::vector<Value> next = body ? body(i, carried) : std::vector<Value>();
  if (state_->is_open()) {
    const Value next_i = Add(i, step);
    if (next.size() != carried.size() && state_->Enter("ForRange(begin, end, step, initial, body)")) {
      state_->Error(StrCat("the body returns ", next.size(), " values, not ", carried.size()));
    }
    if (!status().ok()) return carried;
    AddIncoming(i, next_i, current_block());
    for (size_t k = 0; k < next.size(); ++k) AddIncoming(carried[k], next[k], current_block());
    Branch(header);
  }
  SetInsertPoint(exit);
  return carried;
}

void KernelBuilder::While(const std::function<Value()>& condition, const std::function<void()>& body) {
  if (!state_->Enter("While(condition, body)")) return;
  if (!condition) return state_->Error("no condition");
  const Block header = CreateBlock(), inside = CreateBlock(), exit = CreateBlock();
  Branch(header);
  SetInsertPoint(header);
  BranchIf(condition(), inside, exit);
  if (!status().ok()) return;
  SetInsertPoint(inside);
  if (body) body();
  if (state_->is_open()) Branch(header);
  SetInsertPoint(exit);
}

}  // namespace ptxmir::builder

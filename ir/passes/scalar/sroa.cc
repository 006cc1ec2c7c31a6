// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/sroa.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "base/align.h"
#include "base/str_cat.h"
#include "ir/code/program.h"
#include "ir/passes/scalar/alloca_slices.h"
#include "ir/passes/scalar/promote_allocas.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

constexpr size_t kMaxLeaves = 128;       // of one object
constexpr size_t kMaxElements = 64;      // of an aggregate that is loaded or stored as a whole
constexpr uint64_t kMaxIntegerGap = 64;  // bytes of unknown type that become integers

// A part of the object, which becomes an object of its own.
struct Piece {
  uint64_t begin;
  uint64_t end;
  const IrType* type;  // null: it stays memory, as an array of bytes
  Instruction* object = nullptr;
};

class ObjectSplitter {
 public:
  ObjectSplitter(Instruction& alloca, AllocaSlices& slices)
      : alloca_(alloca),
        function_(alloca.function()),
        types_(function_.module().types()),
        layout_(function_.module().data_layout()),
        slices_(slices) {
    align_ = alloca.align() != 0 ? alloca.align() : layout_.AbiAlign(alloca.source_type());
  }

  // Takes the object apart and appends the new objects. Returns false if that gains nothing.
  bool Run(std::vector<Instruction*>* objects) {
    MakePieces();
    const auto is_value = [](const Piece& piece) { return piece.type != nullptr; };
    if (std::none_of(pieces_.begin(), pieces_.end(), is_value)) return false;
    for (Piece& piece : pieces_) MakeObject(piece, objects);
    Declare();
    for (const AllocaSlice& slice : slices_.slices()) Rewrite(slice);
    for (Instruction* marker : slices_.markers()) Erase(*marker);
    const std::vector<Instruction*>& addresses = slices_.addresses();
    for (size_t i = addresses.size(); i-- > 0;) Erase(*addresses[i]);
    Erase(alloca_);
    return true;
  }

 private:
  void MakePieces() {
    std::vector<std::pair<uint64_t, uint64_t>> accessed;
    for (const AllocaSlice& slice : slices_.slices()) {
      if (slice.is_access()) accessed.emplace_back(slice.begin, slice.end);
    }
    std::sort(accessed.begin(), accessed.end());
    for (const auto& [begin, end] : accessed) {
      if (!pieces_.empty() && begin < pieces_.back().end) {
        pieces_.back().end = std::max(pieces_.back().end, end);
      } else {
        pieces_.push_back({begin, end, nullptr});
      }
    }
    AddGaps();
    for (Piece& piece : pieces_) {
      if (!ChooseType(piece)) piece.type = nullptr;
    }
  }

  // Adds pieces for what only copies and fills touch.
  void AddGaps() {
    std::vector<AllocaLeaf> leaves;
    if (!AllocaSlices::FindLeaves(layout_, alloca_.source_type(), 0, kMaxLeaves, &leaves)) leaves.clear();
    std::vector<Piece> gaps;
    uint64_t done = 0;
    const auto add = [&](uint64_t begin, uint64_t end) {
      if (begin < end && IsTouched(begin, end)) AddGap(begin, end, leaves, &gaps);
    };
    for (const Piece& piece : pieces_) {
      add(done, piece.begin);
      done = piece.end;
    }
    add(done, slices_.size());
    pieces_.insert(pieces_.end(), gaps.begin(), gaps.end());
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  }

  bool IsTouched(uint64_t begin, uint64_t end) const {
    const std::vector<AllocaSlice>& all = slices_.slices();
    return std::any_of(all.begin(), all.end(),
                       [&](const AllocaSlice& slice) { return slice.begin < end && begin < slice.end; });
  }

  void AddGap(uint64_t begin, uint64_t end, const std::vector<AllocaLeaf>& leaves, std::vector<Piece>* gaps) {
    uint64_t done = begin;
    for (const AllocaLeaf& leaf : leaves) {
      if (leaf.begin < done || leaf.end > end) continue;
      AddBytes(done, leaf.begin, gaps);
      gaps->push_back({leaf.begin, leaf.end, leaf.type});
      done = leaf.end;
    }
    AddBytes(done, end, gaps);
  }

  void AddBytes(uint64_t begin, uint64_t end, std::vector<Piece>* gaps) {
    if (end - begin > kMaxIntegerGap) {
      gaps->push_back({begin, end, nullptr});
      return;
    }
    while (begin < end) {
      uint64_t size = AlignAt(8, begin);
      while (size > end - begin) size /= 2;
      if (IsTouched(begin, begin + size)) {
        gaps->push_back({begin, begin + size, types_.Integer(static_cast<uint32_t>(8 * size))});
      }
      begin += size;
    }
  }

  // Sets the type of a value that the piece can become. Returns false if there is none.
  bool ChooseType(Piece& piece) {
    for (const AllocaSlice& slice : slices_.slices()) {
      if (slice.end <= piece.begin || piece.end <= slice.begin || !slice.is_access()) continue;
      if (slice.begin != piece.begin || slice.end != piece.end) return false;
      if (piece.type == nullptr || slice.kind == AllocaSlice::Kind::kLoad) piece.type = slice.access_type();
      if (slice.kind == AllocaSlice::Kind::kLoad) break;
    }
    if (piece.type == nullptr) return false;
    for (const AllocaSlice& slice : slices_.slices()) {
      if (slice.end <= piece.begin || piece.end <= slice.begin) continue;
      if (slice.begin > piece.begin || slice.end < piece.end) return false;
      if (slice.is_access() && (slice.begin != piece.begin || slice.end != piece.end)) return false;
      if (slice.is_access() && !IsConvertible(slice.access_type(), piece.type)) return false;
      if (slice.kind == AllocaSlice::Kind::kSet && Filled(piece.type, slice.user->operand(1)) == nullptr) return false;
      if (!slice.is_access() && layout_.SizeInBits(piece.type) != 8 * (piece.end - piece.begin)) return false;
    }
    return true;
  }

  bool IsConvertible(const IrType* from, const IrType* to) const {
    if (from == to) return true;
    if (from->is_aggregate() || to->is_aggregate()) return false;
    if (layout_.SizeInBits(from) != layout_.SizeInBits(to)) return false;
    const auto is_simple = [](const IrType* type) {
      return type->is_integer() || type->is_floating_point() || type->is_pointer() ||
             (type->is_vector() && !type->element()->is_pointer());
    };
    if (!is_simple(from) || !is_simple(to)) return false;
    return !from->is_pointer() || !to->is_pointer();  // of different address spaces
  }

  Value& Convert(Instruction& before, Value& value, const IrType* to) {
    const IrType* from = value.type();
    if (from == to) return value;
    const IrType* integer = types_.Integer(static_cast<uint32_t>(layout_.SizeInBits(from)));
    if (from->is_pointer()) {
      Value& number = InsertBefore(before, Opcode::kPtrToInt, integer, {{value}});
      return to == integer ? number : InsertBefore(before, Opcode::kBitCast, to, {{number}});
    }
    if (to->is_pointer()) {
      Value& number = from == integer ? value : InsertBefore(before, Opcode::kBitCast, integer, {{value}});
      return InsertBefore(before, Opcode::kIntToPtr, to, {{number}});
    }
    return InsertBefore(before, Opcode::kBitCast, to, {{value}});
  }

  // Returns the value of the type whose bytes all are `byte`; null if there is none.
  Value* Filled(const IrType* type, const Value& byte) {
    const std::optional<uint64_t> value = ConstantInteger(byte);
    const uint64_t bits = layout_.SizeInBits(type);
    if (!value.has_value() || bits % 8 != 0) return nullptr;
    if (type->is_integer() && bits <= 64) {
      uint64_t word = 0;
      for (uint64_t i = 0; i < bits; i += 8) word |= *value << i;
      return function_.Integer(type, word);
    }
    if (*value != 0) return nullptr;
    if (type->is_pointer()) return function_.Simple(IrConstant::Kind::kNullPointer, type);
    if (type->is_floating_point() && bits <= 64) {
      const uint64_t word = 0;
      return function_.Constant(function_.NewIrConstant(
          {.kind = IrConstant::Kind::kFloat, .type = type, .words = absl::MakeConstSpan(&word, 1)}));
    }
    return type->is_vector() ? function_.Simple(IrConstant::Kind::kZeroInitializer, type) : nullptr;
  }

  void MakeObject(Piece& piece, std::vector<Instruction*>* objects) {
    // Bytes are counted, as a type for an array of them may be new, and other functions may be making types.
    const IrType* type = piece.type != nullptr ? piece.type : types_.Integer(8);
    const uint64_t count = piece.type != nullptr ? 1 : piece.end - piece.begin;
    piece.object =
        &InsertBefore(alloca_, Opcode::kAlloca, alloca_.type(), {{*function_.Integer(types_.Integer(32), count)}});
    piece.object->set_log_align(static_cast<uint8_t>(std::countr_zero(AlignAt(align_, piece.begin))));
    function_.SetDetail(*piece.object, type);
    objects->push_back(piece.object);
  }

  // Declares the variables of the object to be in the pieces.
  void Declare() {
    std::vector<Instruction*> records;
    for (Use& use : alloca_.uses()) {
      if (use.user().opcode() == Opcode::kDbgDeclare) records.push_back(&use.user());
    }
    for (Instruction* record : records) {
      const MetadataRef expression = record->record().expression;
      const bool is_plain =
          expression.is_inline() && function_.program().metadata_text(expression) == "!DIExpression()";
      if (!is_plain) continue;
      const bool is_whole = pieces_.size() == 1 && pieces_[0].begin == 0 && pieces_[0].end == slices_.size();
      Instruction* last = record;
      for (const Piece& piece : pieces_) {
        Instruction* copy = function_.CreateInstruction(Opcode::kDbgDeclare, record->type(), {{*piece.object}});
        DebugRecordDetail detail = record->record();
        if (!is_whole) {
          detail.expression = function_.program().AddMetadataTextCopy(
              StrCat("!DIExpression(DW_OP_LLVM_fragment, ", 8 * piece.begin, ", ", 8 * (piece.end - piece.begin), ")"));
        }
        function_.SetDetail(*copy, detail);
        if (last->next() != nullptr) copy->set_next_record(last->next());
        last->set_next_record(copy);
        last = copy;
      }
    }
  }

  void Rewrite(const AllocaSlice& slice) {
    if (slice.kind == AllocaSlice::Kind::kLoad || slice.kind == AllocaSlice::Kind::kStore) {
      RewriteAccess(slice);
      return;
    }
    for (const Piece& piece : pieces_) {
      if (slice.end <= piece.begin || piece.end <= slice.begin) continue;
      if (piece.type == nullptr) {
        CopyPart(slice, piece);
      } else if (slice.kind == AllocaSlice::Kind::kSet) {
        Store(*slice.user, *Filled(piece.type, slice.user->operand(1)), *piece.object, piece.object->align());
      } else {
        CopyValue(slice, piece);
      }
    }
    Erase(*slice.user);
  }

  void RewriteAccess(const AllocaSlice& slice) {
    Instruction& user = *slice.user;
    const Piece& piece = *std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& candidate) {
      return candidate.begin <= slice.begin && slice.end <= candidate.end;
    });
    const unsigned pointer = slice.kind == AllocaSlice::Kind::kLoad ? 0 : 1;
    if (piece.type == nullptr || piece.type == slice.access_type()) {
      user.use(pointer).Set(PointerPlus(user, *piece.object, slice.begin - piece.begin, kInBounds));
      return;
    }
    if (slice.kind == AllocaSlice::Kind::kStore) {
      Store(user, Convert(user, user.operand(0), piece.type), *piece.object, user.align());
      Erase(user);
    } else {
      Instruction& load = Load(user, piece.type, *piece.object, user.align());
      ReplaceAndErase(user, Convert(user, load, user.type()));
    }
  }

  Instruction& Load(Instruction& before, const IrType* type, Value& pointer, uint64_t align) {
    Instruction& load = InsertBefore(before, Opcode::kLoad, type, {{pointer}});
    if (align != 0) load.set_log_align(static_cast<uint8_t>(std::countr_zero(align)));
    return load;
  }
  void Store(Instruction& before, Value& value, Value& pointer, uint64_t align) {
    Instruction& store = InsertBefore(before, Opcode::kStore, types_.Void(), {{value}, {pointer}});
    if (align != 0) store.set_log_align(static_cast<uint8_t>(std::countr_zero(align)));
  }

  // Returns the alignment that a copy states for an argument.
  uint64_t ArgumentAlign(const Instruction& call, unsigned argument) const {
    const CallDetail& detail = call.call();
    if (argument >= detail.argument_attributes.size()) return 1;
    const AttributeSet& set = function_.program().attribute_set(detail.argument_attributes[argument]);
    return std::max<uint64_t>(1, set.attributes.Integer("align"));
  }

  // Copies between a piece that is a value and other memory.
  void CopyValue(const AllocaSlice& slice, const Piece& piece) {
    Instruction& call = *slice.user;
    const bool is_to_object = slice.kind == AllocaSlice::Kind::kCopyTo;
    const unsigned other = is_to_object ? 1 : 0;
    const uint64_t offset = piece.begin - slice.begin;
    const uint64_t align = AlignAt(ArgumentAlign(call, other), offset);
    Value& pointer = PointerPlus(call, call.operand(other), offset, kInBounds);
    if (is_to_object) {
      Store(call, Load(call, piece.type, pointer, align), *piece.object, piece.object->align());
    } else {
      Store(call, Load(call, piece.type, *piece.object, piece.object->align()), pointer, align);
    }
  }

  // Copies or fills the bytes of a piece that stays memory.
  void CopyPart(const AllocaSlice& slice, const Piece& piece) {
    Instruction& call = *slice.user;
    const uint64_t begin = std::max(slice.begin, piece.begin);
    const uint64_t end = std::min(slice.end, piece.end);
    Instruction* copy = CloneInstruction(function_, call, nullptr);
    copy->set_debug_loc(call.debug_loc());
    copy->call().argument_attributes = {};
    call.parent()->Insert(*copy, call);
    const unsigned own = slice.kind == AllocaSlice::Kind::kCopyFrom ? 1 : 0;
    copy->use(own).Set(PointerPlus(*copy, *piece.object, begin - piece.begin, kInBounds));
    if (slice.kind != AllocaSlice::Kind::kSet) {
      copy->use(1 - own).Set(PointerPlus(*copy, call.operand(1 - own), begin - slice.begin, kInBounds));
    }
    copy->use(2).Set(*function_.Integer(call.operand(2).type(), end - begin));
  }

  Instruction& alloca_;
  Function& function_;
  IrTypeTable& types_;
  const DataLayout& layout_;
  AllocaSlices& slices_;
  uint64_t align_;
  std::vector<Piece> pieces_;
};

// Takes apart loads and stores of whole structures and arrays, so that each part can be a value.
class AggregateAccesses {
 public:
  explicit AggregateAccesses(Function& function) : function_(function), layout_(function.module().data_layout()) {}

  // Returns true if the slices had such accesses and they are gone.
  bool Expand(const AllocaSlices& slices) {
    bool changed = false;
    for (const AllocaSlice& slice : slices.slices()) {
      if (!slice.is_access() || !slice.access_type()->is_aggregate()) continue;
      std::vector<AllocaLeaf> leaves;
      if (!AllocaSlices::FindLeaves(layout_, slice.access_type(), 0, kMaxElements, &leaves)) continue;
      slice.kind == AllocaSlice::Kind::kLoad ? ExpandLoad(*slice.user) : ExpandStore(*slice.user);
      changed = true;
    }
    return changed;
  }

 private:
  // Calls `visit` for each leaf with its indices.
  template <typename Visit>
  void ForEachLeaf(const IrType* type, uint64_t offset, std::vector<uint32_t>& indices, Visit visit) {
    if (!type->is_aggregate()) {
      visit(type, offset);
      return;
    }
    const bool is_struct = type->is_struct();
    const auto count = static_cast<uint32_t>(is_struct ? type->members().size() : type->num_elements());
    const StructLayout members = is_struct ? layout_.LayoutOf(type) : StructLayout();
    for (uint32_t i = 0; i < count; ++i) {
      indices.push_back(i);
      const IrType* element = is_struct ? type->members()[i] : type->element();
      ForEachLeaf(element, offset + (is_struct ? members.offsets[i] : i * layout_.AllocSize(element)), indices, visit);
      indices.pop_back();
    }
  }

  uint64_t Align(const Instruction& access, const IrType* type) const {
    return access.align() != 0 ? access.align() : layout_.AbiAlign(type);
  }

  void SetIndices(Instruction& instruction, const std::vector<uint32_t>& indices) {
    const absl::Span<const uint32_t> copy = function_.arena().CopyArray(absl::MakeConstSpan(indices));
    function_.SetDetail(instruction, copy);
  }

  void ExpandLoad(Instruction& load) {
    Value* whole = function_.Simple(IrConstant::Kind::kPoison, load.type());
    std::vector<uint32_t> indices;
    ForEachLeaf(load.type(), 0, indices, [&](const IrType* type, uint64_t offset) {
      Value& pointer = PointerPlus(load, load.operand(0), offset, kInBounds);
      Instruction& part = InsertBefore(load, Opcode::kLoad, type, {{pointer}});
      part.set_log_align(static_cast<uint8_t>(std::countr_zero(AlignAt(Align(load, load.type()), offset))));
      Instruction& insert = InsertBefore(load, Opcode::kInsertValue, load.type(), {{*whole}, {part}});
      SetIndices(insert, indices);
      whole = &insert;
    });
    ReplaceAndErase(load, *whole);
  }

  void ExpandStore(Instruction& store) {
    const IrType* whole = store.operand(0).type();
    std::vector<uint32_t> indices;
    ForEachLeaf(whole, 0, indices, [&](const IrType* type, uint64_t offset) {
      Instruction& part = InsertBefore(store, Opcode::kExtractValue, type, {{store.operand(0)}});
      SetIndices(part, indices);
      Value& pointer = PointerPlus(store, store.operand(1), offset, kInBounds);
      Value* value = Simplify(part);
      Instruction& parts_store =
          InsertBefore(store, Opcode::kStore, store.type(), {{value == nullptr ? part : *value}, {pointer}});
      parts_store.set_log_align(static_cast<uint8_t>(std::countr_zero(AlignAt(Align(store, whole), offset))));
      if (value != nullptr) Erase(part);
    });
    Erase(store);
  }

  Function& function_;
  const DataLayout& layout_;
};

std::vector<Instruction*> FindObjects(const Function& function) {
  std::vector<Instruction*> objects;
  for (const BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
      if (i->opcode() == Opcode::kAlloca) objects.push_back(i);
    }
  }
  return objects;
}

// Promotes what can be. Returns the number of objects that were promoted.
size_t PromoteAll(Function& function) {
  std::vector<Instruction*> promotable;
  for (Instruction* alloca : FindObjects(function)) {
    if (IsPromotable(*alloca)) promotable.push_back(alloca);
  }
  PromoteAllocas(function, promotable);
  return promotable.size();
}

// Returns why an object stays in memory.
std::string_view ReasonToStay(Instruction& alloca) {
  AllocaSlices slices;
  if (slices.Collect(alloca)) return "parts of it are accessed with several types or sizes";
  if (slices.culprit() == nullptr) return "its size is not known or too large";
  switch (slices.culprit()->opcode()) {
    case Opcode::kGetElementPtr:
      return "it is indexed by a variable, or beyond its end";
    case Opcode::kCall:
      return "its address is passed to a call";
    case Opcode::kLoad:
    case Opcode::kAtomicRMW:
    case Opcode::kCmpXchg:
      return "an access of it is volatile, atomic, or beyond its end";
    case Opcode::kStore:
      return "its address is stored, or a store to it is volatile, atomic, or beyond its end";
    case Opcode::kPhi:
    case Opcode::kSelect:
      return "its address is one of several that are chosen from";
    default:
      return "its address is used otherwise";
  }
}

void ReportObjects(Function& function, size_t promoted, IrPassReporter& reporter) {
  if (!reporter.WantsRemarks()) return;
  if (promoted != 0) {
    reporter.AddRemark(IrPassReporter::Kind::kPassed, "Promoted", *function.entry().first(),
                       [&] { return StrCat(promoted, " stack objects became values"); });
  }
  const DataLayout& layout = function.module().data_layout();
  for (Instruction* alloca : FindObjects(function)) {
    reporter.AddRemark(IrPassReporter::Kind::kMissed, "NotPromoted", *alloca, [&] {
      return StrCat("stack object of ", layout.AllocSize(alloca->source_type()),
                    " bytes stays in memory: ", ReasonToStay(*alloca));
    });
  }
}

}  // namespace

IrPassResult RunSroa(Function& function, IrPassContext& context) {
  bool changed = RemoveUnreachableBlocks(function);
  size_t promoted = PromoteAll(function);
  size_t split = 0;
  // Copies between objects give one the pieces of the other, so objects that are left are looked at again.
  constexpr int kMaxRounds = 4;
  bool is_done = false;
  for (int round = 0; round < kMaxRounds && !is_done; ++round) {
    is_done = true;
    for (Instruction* alloca : FindObjects(function)) {
      AllocaSlices slices;
      if (!slices.Collect(*alloca)) continue;
      if (AggregateAccesses(function).Expand(slices)) {
        changed = true;
        slices = AllocaSlices();
        if (!slices.Collect(*alloca)) continue;
      }
      std::vector<Instruction*> objects;
      if (!ObjectSplitter(*alloca, slices).Run(&objects)) continue;
      ++split;
      is_done = false;
    }
    if (!is_done) promoted += PromoteAll(function);
  }
  context.AddStatistic("objects taken apart", split);
  context.AddStatistic("objects that became values", promoted);
  ReportObjects(function, promoted, context.reporter);
  return {.changed = changed || promoted != 0 || split != 0};
}

}  // namespace ptxmir

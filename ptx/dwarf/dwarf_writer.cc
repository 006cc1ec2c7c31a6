// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_writer.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/str_cat.h"

namespace ptxmir::ptx {
namespace {

constexpr uint64_t kDwarfVersion = 2;

// Prints data as PTX expects it: numbers of one, four and eight bytes.
class SectionPrinter {
 public:
  SectionPrinter(const PtxNames& names, uint32_t address_size, TextBuffer& out)
      : names_(names), address_size_(address_size), out_(out) {}

  void Begin(std::string_view section) {
    out_.Append("\t.section\t");
    out_.Append(section);
    out_.Append("\n\t{\n");
  }
  void End() { out_.Append("\t}\n"); }

  void Byte(uint64_t value) { Number(".b8 ", value & 0xff); }
  void TwoBytes(uint64_t value) {
    Byte(value);
    Byte(value >> 8);
  }
  void FourBytes(uint64_t value) { Number(".b32 ", value & 0xffffffff); }
  void EightBytes(uint64_t value) {
    out_.Append(".b64 ");
    out_.AppendSigned(static_cast<int64_t>(value));
    out_.Append('\n');
  }
  void Address(uint64_t value) {
    if (address_size_ == 4) {
      FourBytes(value);
    } else {
      EightBytes(value);
    }
  }
  void Unsigned(uint64_t value) {
    DwarfBlock block;
    block.AddUnsigned(value);
    Bytes(block.bytes);
  }
  void Signed(int64_t value) {
    DwarfBlock block;
    block.AddSigned(value);
    Bytes(block.bytes);
  }
  void Bytes(std::string_view bytes) {
    for (char c : bytes) Byte(static_cast<unsigned char>(c));
  }
  void String(std::string_view text) {
    Bytes(text);
    Byte(0);
  }
  void Block(const DwarfBlock& block) {
    uint32_t done = 0;
    for (const auto& [at, label] : block.addresses) {
      Bytes(std::string_view(block.bytes).substr(done, at - done));
      Address(label);
      done = at;
    }
    Bytes(std::string_view(block.bytes).substr(done));
  }
  void Address(const DwarfLabel& label) {
    out_.Append(address_size_ == 4 ? ".b32 " : ".b64 ");
    Label(label);
    out_.Append('\n');
  }
  // Prints an offset in another section.
  void SectionOffset(const DwarfLabel& label) {
    out_.Append(".b32 ");
    Label(label);
    out_.Append('\n');
  }
  void SectionOffset(std::string_view section, uint64_t offset) {
    out_.Append(".b32 ");
    SectionPlus(section, offset);
  }
  void SectionAddress(std::string_view section, uint64_t offset) {
    out_.Append(address_size_ == 4 ? ".b32 " : ".b64 ");
    SectionPlus(section, offset);
  }
  void DefineLabel(const DwarfLabel& label) {
    Label(label);
    out_.Append(":\n");
  }

  TextBuffer& out() { return out_; }

 private:
  void Number(std::string_view directive, uint64_t value) {
    out_.Append(directive);
    out_.AppendDecimal(value);
    out_.Append('\n');
  }
  void SectionPlus(std::string_view section, uint64_t offset) {
    out_.Append(section);
    if (offset != 0) {
      out_.Append('+');
      out_.AppendDecimal(offset);
    }
    out_.Append('\n');
  }
  void Label(const DwarfLabel& label) {
    static constexpr std::string_view kPrefixes[] = {
        "0", "$L__tmp", "$L__func_begin", "$L__func_end", "$L__debug_loc", "__local_depot"};
    if (label.kind == DwarfLabel::Kind::kGlobal) {
      out_.Append(names_[label.number]);
    } else if (label.kind == DwarfLabel::Kind::kLineSection) {
      out_.Append(".debug_line");
    } else {
      out_.Append(kPrefixes[static_cast<size_t>(label.kind)]);
      if (label.is_valid()) out_.AppendDecimal(label.number);
    }
  }

  const PtxNames& names_;
  uint32_t address_size_;
  TextBuffer& out_;
};

void PrintLocationLists(const std::vector<LocationList>& lists, SectionPrinter& printer) {
  constexpr uint64_t kMaxLocationSize = 0xffff;
  printer.Begin(".debug_loc");
  for (uint32_t i = 0; i < lists.size(); ++i) {
    printer.DefineLabel({DwarfLabel::Kind::kLocationList, i});
    for (const LocationListEntry& entry : lists[i]) {
      printer.Address(entry.begin);
      printer.Address(entry.end);
      const uint64_t size = entry.location.bytes.size();
      printer.TwoBytes(size <= kMaxLocationSize ? size : 0);
      if (size <= kMaxLocationSize) printer.Block(entry.location);
    }
    printer.Address(uint64_t{0});
    printer.Address(uint64_t{0});
  }
  printer.End();
}

void PrintAbbreviations(const DwarfAbbreviations& abbreviations, SectionPrinter& printer) {
  printer.Begin(".debug_abbrev");
  uint64_t number = 0;
  for (const DwarfAbbreviations::Entry& entry : abbreviations.entries()) {
    printer.Unsigned(++number);
    printer.Unsigned(entry.tag);
    printer.Byte(entry.has_children ? 1 : 0);
    for (const auto& [attribute, form] : entry.attributes) {
      printer.Unsigned(attribute);
      printer.Unsigned(form);
    }
    printer.Byte(0);
    printer.Byte(0);
  }
  printer.Byte(0);
  printer.End();
}

void PrintReference(const DieValue& value, const std::vector<std::unique_ptr<DwarfUnit>>& units,
                    SectionPrinter& printer) {
  if (value.form == dwarf::kFormRef4) {
    printer.FourBytes(value.die->offset);
    return;
  }
  const Die& root = value.die->root();
  const uint32_t unit_offset = root.tag == dwarf::kTagCompileUnit ? units[root.unit]->section_offset : 0;
  printer.SectionAddress(".debug_info", uint64_t{unit_offset} + value.die->offset);
}

void PrintInteger(const DieValue& value, SectionPrinter& printer) {
  switch (value.form) {
    case dwarf::kFormData2:
      printer.TwoBytes(value.integer);
      break;
    case dwarf::kFormData4:
      printer.FourBytes(value.integer);
      break;
    case dwarf::kFormData8:
      printer.EightBytes(value.integer);
      break;
    case dwarf::kFormUdata:
      printer.Unsigned(value.integer);
      break;
    case dwarf::kFormSdata:
      printer.Signed(static_cast<int64_t>(value.integer));
      break;
    default:
      printer.Byte(value.integer);
  }
}

void PrintValue(const DieValue& value, const std::vector<std::unique_ptr<DwarfUnit>>& units, uint32_t address_size,
                SectionPrinter& printer) {
  switch (value.kind) {
    case DieValue::Kind::kInteger:
      PrintInteger(value, printer);
      break;
    case DieValue::Kind::kString:
      printer.String(value.text);
      break;
    case DieValue::Kind::kLabel:
      if (value.form == dwarf::kFormData4) {
        printer.SectionOffset(value.label);
      } else {
        printer.Address(value.label);
      }
      break;
    case DieValue::Kind::kDie:
      PrintReference(value, units, printer);
      break;
    case DieValue::Kind::kBlock: {
      const uint64_t size = value.block->Size(address_size);
      if (value.form == dwarf::kFormBlock1) {
        printer.Byte(size);
      } else if (value.form == dwarf::kFormBlock2) {
        printer.TwoBytes(size);
      } else {
        printer.FourBytes(size);
      }
      printer.Block(*value.block);
      break;
    }
  }
}

// Prints the entries of a unit without recursion, like LayOutUnit.
void PrintUnit(const DwarfUnit& unit, const std::vector<std::unique_ptr<DwarfUnit>>& units, uint32_t address_size,
               SectionPrinter& printer) {
  printer.FourBytes(unit.size - 4);
  printer.TwoBytes(kDwarfVersion);
  printer.SectionOffset(".debug_abbrev", 0);
  printer.Byte(address_size);
  std::vector<std::pair<const Die*, size_t>> path;
  const auto enter = [&](const Die* die) {
    printer.Unsigned(die->abbreviation);
    for (const DieValue& value : die->values) PrintValue(value, units, address_size, printer);
    path.emplace_back(die, 0);
  };
  enter(&unit.root);
  while (!path.empty()) {
    auto& [die, next] = path.back();
    if (next < die->children.size()) {
      enter(die->children[next++]);
      continue;
    }
    if (!die->children.empty()) printer.Byte(0);
    path.pop_back();
  }
}

bool HasAttribute(const Die& die, dwarf::Attribute attribute) {
  for (const DieValue& value : die.values) {
    if (value.attribute == attribute) return true;
    const bool is_specification = value.attribute == dwarf::kAtSpecification && value.kind == DieValue::Kind::kDie;
    if (is_specification && HasAttribute(*value.die, attribute)) return true;
  }
  return false;
}

// Returns the attributes of an entry in a GDB index: its kind, and whether it is visible only in its own unit.
uint64_t GnuNameAttributes(const DwarfUnit& unit, const Die& die) {
  constexpr uint64_t kType = 1 << 4, kVariable = 2 << 4, kFunction = 3 << 4, kStatic = 1 << 7;
  const uint64_t linkage = HasAttribute(die, dwarf::kAtExternal) ? 0 : kStatic;
  switch (die.tag) {
    case dwarf::kTagClassType:
    case dwarf::kTagStructureType:
    case dwarf::kTagUnionType:
    case dwarf::kTagEnumerationType:
      return kType | (unit.is_c_plus_plus() ? 0 : kStatic);
    case dwarf::kTagTypedef:
    case dwarf::kTagBaseType:
    case dwarf::kTagSubrangeType:
    case dwarf::kTagTemplateAlias:
      return kType | kStatic;
    case dwarf::kTagNamespace:
      return kType;
    case dwarf::kTagSubprogram:
      return kFunction | linkage;
    case dwarf::kTagVariable:
      return kVariable | linkage;
    case dwarf::kTagEnumerator:
      return kVariable | kStatic;
    default:
      return 0;
  }
}

// Prints one of a unit's tables of names. `kind` is "Names" or "Types", and `number` is the number of the table.
void PrintNames(const DwarfUnit& unit, std::string_view section, std::string_view kind, uint32_t number,
                const std::map<std::string, const Die*>& names, SectionPrinter& printer) {
  std::vector<std::pair<const Die*, std::string_view>> sorted;
  for (const auto& [name, die] : names) sorted.emplace_back(die, name);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first->offset < b.first->offset; });
  const std::string begin = StrCat("$L__pub", kind, "_start", number), end = StrCat("$L__pub", kind, "_end", number);
  printer.Begin(section);
  printer.out().Append(StrCat(".b32 ", end, "-", begin, "\n", begin, ":\n"));
  printer.TwoBytes(kDwarfVersion);
  printer.SectionOffset(".debug_info", unit.section_offset);
  printer.FourBytes(unit.size);
  for (const auto& [die, name] : sorted) {
    printer.FourBytes(die->offset);
    if (unit.has_gnu_names) printer.Byte(GnuNameAttributes(unit, *die));
    printer.String(name);
  }
  printer.FourBytes(0);
  printer.out().Append(StrCat(end, ":\n"));
  printer.End();
}

}  // namespace

DwarfWriter::DwarfWriter(const Module& module, DebugInfo& info)
    : module_(module), info_(info), builder_(module, info, module.data_layout().PointerBits(0) / 8) {}

void DwarfWriter::EndFunction(const DwarfFunction& function, LexicalScopes& scopes, DebugHistory& history) {
  const MetadataNode* subprogram = module_.metadata(function.subprogram);
  DwarfUnit* unit = builder_.Unit(subprogram->Node("unit").value_or(kNoMetadata));
  if (unit == nullptr || unit->kind == EmissionKind::kDirectivesOnly) return;
  builder_.BeginFunction(function);
  VariableCollector collector(module_, info_, scopes, history, builder_, lists_, function);
  collector.CollectConcrete();
  // Line tables fully describe a function into which nothing was inlined.
  if (unit->is_minimal() && !unit->is_for_profiling && scopes.abstract_subprograms().empty()) return;
  collector.CollectAbstract();
  builder_.BuildFunction(*unit, scopes.function_scope());
}

void DwarfWriter::EndModule() {
  builder_.Finish();
  uint32_t offset = 0;
  for (const auto& unit : builder_.units()) {
    if (unit->kind == EmissionKind::kDirectivesOnly) continue;
    unit->section_offset = offset;
    unit->size = LayOutUnit(unit->root, builder_.address_size(), abbreviations_);
    offset += unit->size;
  }
}

void DwarfWriter::WriteSections(const PtxNames& names, TextBuffer& out) const {
  SectionPrinter printer(names, builder_.address_size(), out);
  if (!lists_.empty()) PrintLocationLists(lists_, printer);
  PrintAbbreviations(abbreviations_, printer);
  printer.Begin(".debug_info");
  for (const auto& unit : builder_.units()) {
    if (unit->kind != EmissionKind::kDirectivesOnly) {
      PrintUnit(*unit, builder_.units(), builder_.address_size(), printer);
    }
  }
  printer.End();
  uint32_t num_tables = 0;
  for (const auto& unit : builder_.units()) {
    if (!unit->has_names || unit->kind == EmissionKind::kDirectivesOnly) continue;
    const bool is_gnu = unit->has_gnu_names;
    PrintNames(*unit, is_gnu ? ".debug_gnu_pubnames" : ".debug_pubnames", "Names", num_tables, unit->global_names,
               printer);
    PrintNames(*unit, is_gnu ? ".debug_gnu_pubtypes" : ".debug_pubtypes", "Types", num_tables, unit->global_types,
               printer);
    ++num_tables;
  }
}

}  // namespace ptxmir::ptx

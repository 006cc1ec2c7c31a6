// SPDX-License-Identifier: Apache-2.0

#include "sdag/verify/dag_signature.h"

#include <array>

#include "base/str_cat.h"
#include "sdag/verify/dag_verifier.h"

namespace ptxmir::sdag {
namespace {

// One item of a signature.
struct Item {
  std::string_view name;     // "I", "i32", "const"; empty: anything
  int variable = -1;         // the digit
  bool is_optional = false;  // "?"
  bool is_repeated = false;  // "*"
};

constexpr std::string_view kClasses = "IFSBPVNX";
constexpr std::string_view kNodeKinds[] = {"const", "sym", "md", "cc", "vt", "bb", "reg", "fi"};

bool IsNodeKind(std::string_view name) {
  for (const std::string_view kind : kNodeKinds) {
    if (kind == name) return true;
  }
  return false;
}

// Takes the next item from the front of `text`.
Item NextItem(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  Item item{.name = text.substr(0, end)};
  text.remove_prefix(std::min(end + 1, text.size()));
  if (item.name.ends_with('?')) {
    item.is_optional = true;
    item.name.remove_suffix(1);
  } else if (item.name.ends_with('*')) {
    item.is_repeated = true;
    item.name.remove_suffix(1);
  }
  if (item.name.size() == 2 && kClasses.find(item.name[0]) != std::string_view::npos) {
    item.variable = item.name[1] - '0';
    item.name.remove_suffix(1);
  }
  return item;
}

std::string Description(const Item& item) {
  if (item.name.size() != 1) {
    static constexpr std::string_view kTexts[] = {"a Constant",  "an ExternalSymbol", "an MDNode",  "a CondCode",
                                                  "a ValueType", "a BasicBlock",      "a Register", "a FrameIndex"};
    for (size_t i = 0; i < std::size(kNodeKinds); ++i) {
      if (kNodeKinds[i] == item.name) return std::string(kTexts[i]);
    }
    return StrCat("'", item.name, "'");
  }
  switch (item.name[0]) {
    case 'I':
      return "an integer or a vector of integers";
    case 'F':
      return "a floating-point value or a vector of them";
    case 'S':
      return "an integer";
    case 'B':
      return "'i1' or a vector of it";
    case 'P':
      return "a pointer ('i32' or 'i64')";
    case 'V':
      return "a vector";
    case 'N':
      return "a scalar";
    default:
      return "a value";
  }
}

bool IsOfKind(const SDNode& node, std::string_view kind) {
  const NodePayload payload = node.payload_kind();
  if (kind == "const") return payload == NodePayload::kConstant;
  if (kind == "sym") return payload == NodePayload::kExternalSymbol;
  if (kind == "md") return payload == NodePayload::kMetadata;
  if (kind == "cc") return payload == NodePayload::kCondCode;
  if (kind == "vt") return payload == NodePayload::kValueType;
  if (kind == "bb") return payload == NodePayload::kBlock;
  if (kind == "reg") return payload == NodePayload::kRegister;
  return payload == NodePayload::kFrameIndex;
}

// Matches the results and operands of a node. They share type variables.
class Matcher {
 public:
  explicit Matcher(const SDNode& node) : node_(node) {}

  std::string Match(std::string_view items, bool are_results);

 private:
  // Returns an empty string if value `i` fits.
  std::string MatchOne(const Item& item, unsigned i, bool is_result);

  const SDNode& node_;
  std::array<MVT, 10> variables_ = {};
  std::array<bool, 10> is_known_ = {};
};

std::string Matcher::MatchOne(const Item& item, unsigned i, bool is_result) {
  if (item.name.empty()) return "";
  const MVT type = is_result ? node_.value_type(i) : node_.operand(i).type();
  const std::string what =
      is_result ? StrCat("result ", i, " is '", Name(type), "'") : StrCat("operand ", i, " is '", Name(type), "'");
  if (IsNodeKind(item.name)) {
    if (IsOfKind(*node_.operand(i).node(), item.name)) return "";
    return StrCat("operand ", i, " is a '", node_.operand(i)->name(), "', not ", Description(item));
  }
  if (item.name == "ch") {
    if (is_result ? type == MVT::kOther : IsChain(node_.operand(i))) return "";
    return what + ", not a chain";
  }
  if (item.name.size() > 1) {
    return Name(type) == item.name ? std::string() : StrCat(what, ", not ", Description(item));
  }
  if (item.variable >= 0 && is_known_[item.variable]) {
    const MVT expected = variables_[item.variable];
    return type == expected ? std::string() : StrCat(what, ", not '", Name(expected), "'");
  }
  if (!IsOfTypeClass(type, item.name[0])) return StrCat(what, ", not ", Description(item));
  if (item.variable < 0) return "";
  is_known_[item.variable] = true;
  variables_[item.variable] = type;
  return "";
}

std::string Matcher::Match(std::string_view items, bool are_results) {
  const unsigned count = are_results ? node_.num_values() : node_.num_operands();
  const std::string_view noun = are_results ? "result" : "operand";
  unsigned i = 0;
  while (!items.empty()) {
    const Item item = NextItem(items);
    if (item.is_repeated) {
      for (; i < count; ++i) {
        if (std::string error = MatchOne(item, i, are_results); !error.empty()) return error;
      }
      return "";
    }
    if (i == count) {
      if (item.is_optional) continue;
      return StrCat(noun, " ", i, " is missing: ", Description(item));
    }
    std::string error = MatchOne(item, i, are_results);
    if (!error.empty() && !item.is_optional) return error;
    if (error.empty()) ++i;
  }
  return i == count ? "" : StrCat("there is no ", noun, " ", i);
}

// Returns true if a scalar may be used as an element: it has the element's type, or is a wider integer, of which
// the low bits count.
bool MayBeElement(MVT scalar, MVT element) {
  return scalar == element ||
         (IsScalarInteger(scalar) && IsInteger(element) && SizeInBits(scalar) > SizeInBits(element));
}

// Checks that `part` is elements of `whole`, starting at a constant index.
std::string CheckPart(MVT whole, MVT part, const SDValue& index) {
  if (ScalarType(whole) != ScalarType(part)) {
    return StrCat("'", Name(part), "' has other elements than '", Name(whole), "'");
  }
  const uint64_t first = static_cast<const ConstantSDNode*>(index.node())->ZExtValue();
  if (first <= NumElements(whole) && NumElements(part) <= NumElements(whole) - first) return "";
  return StrCat("'", Name(whole), "' has no ", NumElements(part), " elements from ", first, " on");
}

std::string CheckAllLanes(const SDNode& node, bool only_vectors) {
  MVT result = node.value_type(0);
  if (IsToken(result)) result = node.operand(1).type();  // of a store
  const auto differs = [&](MVT type) {
    if (IsToken(type) || (only_vectors && !IsVector(type) && type != MVT::kI1)) return false;
    return NumElements(type) != NumElements(result);
  };
  for (unsigned i = 0; i < node.num_values() + node.num_operands(); ++i) {
    const MVT type = i < node.num_values() ? node.value_type(i) : node.operand(i - node.num_values()).type();
    if (differs(type)) return StrCat("'", Name(result), "' and '", Name(type), "' have different numbers of elements");
  }
  return "";
}

std::string CheckVectorRelation(const SDNode& node, TypeRelation relation) {
  const MVT result = node.value_type(0);
  const MVT first = node.operand(0).type();
  switch (relation) {
    case TypeRelation::kElementOf:
      return MayBeElement(result, ScalarType(first)) ? "" : "the result is no element of the vector";
    case TypeRelation::kElementOfSecond:
      return ScalarType(node.operand(1).type()) == result ? "" : "the vector has other elements than the result";
    case TypeRelation::kInsertSubvector:
      return CheckPart(result, node.operand(1).type(), node.operand(2));
    case TypeRelation::kExtractSubvector:
      return CheckPart(first, result, node.operand(1));
    case TypeRelation::kLowElements:
      return IsInteger(result) && IsInteger(first) && SizeInBits(result) >= SizeInBits(first) &&
                     NumElements(result) < NumElements(first)
                 ? ""
                 : "the result does not have fewer and wider integers than the operand, with at least as many bits";
    case TypeRelation::kSplat:
      return MayBeElement(first, ScalarType(result)) ? "" : "the operand is no element of the result";
    case TypeRelation::kInsertElement:
      return MayBeElement(node.operand(1).type(), ScalarType(result)) ? "" : "operand 1 is no element of the vector";
    case TypeRelation::kBuildVector:
      if (node.num_operands() != NumElements(result)) {
        return StrCat("there are ", node.num_operands(), " operands for ", NumElements(result), " elements");
      }
      for (const SDUse& use : node.operands()) {
        if (use.type() != first) return "the operands are of different types";
      }
      return MayBeElement(first, ScalarType(result)) ? "" : "the operands are no elements of the result";
    case TypeRelation::kConcat:
      if (ScalarType(first) == ScalarType(result) && NumElements(first) * node.num_operands() == NumElements(result)) {
        return "";
      }
      return "the operands together are not the result";
    default:
      return "";
  }
}

}  // namespace

std::string MatchSignature(const SDNode& node, std::string_view signature) {
  const size_t equals = signature.find('=');
  Matcher matcher(node);
  std::string error = matcher.Match(signature.substr(0, equals), /*are_results=*/true);
  return error.empty() ? matcher.Match(signature.substr(equals + 1), /*are_results=*/false) : error;
}

std::string CheckRelation(const SDNode& node, TypeRelation relation) {
  const MVT result = node.value_type(0);
  // The value operands follow the chain of strict nodes.
  const unsigned begin = node.num_operands() > 0 && node.operand(0).type() == MVT::kOther ? 1 : 0;
  const MVT first = node.operand(begin).type();
  const auto same_lanes = [&](MVT type) {
    return NumElements(result) == NumElements(type)
               ? std::string()
               : StrCat("'", Name(result), "' and '", Name(type), "' have different numbers of elements");
  };
  switch (relation) {
    case TypeRelation::kWider:
    case TypeRelation::kNarrower: {
      const bool is_wider = ScalarSizeInBits(result) > ScalarSizeInBits(first);
      const bool is_narrower = ScalarSizeInBits(result) < ScalarSizeInBits(first);
      if (relation == TypeRelation::kWider && !is_wider) return "the result is not wider than the operand";
      if (relation == TypeRelation::kNarrower && !is_narrower) return "the result is not narrower than the operand";
      return same_lanes(first);
    }
    case TypeRelation::kSameLanes:
      return same_lanes(first);
    case TypeRelation::kSameLanesAsSecond:
      return same_lanes(node.operand(begin + 1).type());
    case TypeRelation::kSameSize:
      return SizeInBits(result) == SizeInBits(first) ? "" : "the result is of another size than the operand";
    case TypeRelation::kAllLanes:
      return CheckAllLanes(node, /*only_vectors=*/false);
    case TypeRelation::kAllVectorLanes:
      return CheckAllLanes(node, /*only_vectors=*/true);
    case TypeRelation::kTwice:
      return SizeInBits(result) == 2 * SizeInBits(first) ? "" : "the result is not twice as large as the operands";
    default:
      return CheckVectorRelation(node, relation);
  }
}

std::string CheckCondition(const SDNode& node) {
  const CondCodeSDNode* condition = nullptr;
  MVT compared = MVT::kOther;
  for (const SDUse& use : node.operands()) {
    if (const auto* code = DynCast<CondCodeSDNode>(use.get())) condition = code;
    if (IsToken(compared) && !IsToken(use.type())) compared = use.type();
  }
  if (condition == nullptr || !IsInteger(compared)) return "";
  const CondCode code = condition->code();
  const bool is_ordered = code > CondCode::kFalse && code <= CondCode::kUeq;
  return is_ordered || code == CondCode::kUne ? StrCat("integers are not compared by '", Name(code), "'") : "";
}

std::string CheckSignature(std::string_view signature) {
  if (signature.find('=') == std::string_view::npos) return "there is no '='";
  for (std::string_view side : {signature.substr(0, signature.find('=')), signature.substr(signature.find('=') + 1)}) {
    bool must_end = false, must_be_optional = false;
    while (!side.empty()) {
      const Item item = NextItem(side);
      const std::string name(item.name);
      const bool is_class = name.size() == 1 && kClasses.find(name[0]) != std::string_view::npos;
      const bool is_known = is_class || IsNodeKind(name) || FindValueType(name).has_value();
      if (!is_known && !(name.empty() && item.is_repeated)) return StrCat("unknown item '", name, "'");
      if (must_end) return "items after a '*'";
      if (must_be_optional && !item.is_optional) return "items after an optional one";
      if (item.is_optional && name != "ch" && name != "glue") return "only chains and glue can be optional";
      if (item.variable > 9 || (item.variable >= 0 && !is_class)) return StrCat("bad variable in '", name, "'");
      must_end = item.is_repeated;
      must_be_optional = item.is_optional;
    }
  }
  return "";
}

}  // namespace ptxmir::sdag

// SPDX-License-Identifier: Apache-2.0

// IrParser: the parsing of types, constants, attributes and names that all readers of IR text share. Internal to
// ir/.
//
// Parse methods return false (or null) after they have reported an error. The first error within an entity ends
// the parsing of that entity.

#ifndef PTXMIR_IR_IR_PARSER_H_
#define PTXMIR_IR_IR_PARSER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/ir_attributes.h"
#include "ir/ir_constant.h"
#include "ir/ir_lexer.h"
#include "ir/ir_metadata.h"
#include "ir/ir_type.h"
#include "ir/module.h"

namespace ptxmir {

class IrParser {
 public:
  using ErrorSink = std::function<void(const char* position, std::string message)>;

  // The nesting limit of types, constants and metadata. It is far above what real code needs, and small enough for
  // any stack.
  static constexpr int kMaxDepth = 200;

  IrParser(std::string_view text, Module& module, ErrorSink error)
      : lexer_(text), module_(module), error_(std::move(error)) {}

  IrLexer& lexer() { return lexer_; }
  const IrToken& token() const { return lexer_.token(); }
  Module& module() { return module_; }

  // Report an error at the current token, or at `position`. They always return false.
  bool Error(std::string message) { return ErrorAt(token().begin(), std::move(message)); }
  bool ErrorAt(const char* position, std::string message);

  // Consume the token and return true if it is the given one.
  bool TryPunctuation(char c);
  bool TryWord(std::string_view word);
  // Consume the given token, or report "expected ..." if the current token is another one.
  bool ExpectPunctuation(char c, std::string_view where);
  bool ExpectWord(std::string_view word, std::string_view message);

  // Returns the name or string of a token, unescaped. Its memory lives as long as the module.
  std::string_view Unescaped(const IrToken& token);
  bool ParseUnsigned(uint64_t max, std::string_view message, uint64_t* value);
  // Parses a string token and unescapes it.
  bool ParseString(std::string_view message, std::string_view* value);
  // Parses "addrspace(N)"; sets 0 if it is absent.
  bool ParseOptionalAddressSpace(uint32_t* address_space);

  // Types.
  static bool IsTypeStart(const IrToken& token);
  const IrType* ParseType(bool allow_void = false);
  // Parses the body of a structure, from '{' or '<{' on.
  bool ParseStructBody(std::vector<const IrType*>* members, bool* packed);
  // Marks a named structure as defined. Returns false if it already was.
  bool DefineStruct(const IrType* type);
  // Reports structures that were used but not defined, and structures that contain themselves.
  void CheckNamedStructs();

  // Constants.
  const IrConstant* ParseConstant(const IrType* type);
  const IrConstant* ParseTypedConstant();
  // Fills in the ids of globals that were used before their definition. Reports those that remain unknown.
  bool ResolveGlobalReferences();

  // Attributes. Parses attributes until another token follows: keywords, strings and, in groups, key=value.
  bool ParseAttributes(bool in_group, IrAttributes* attributes);
  // Gives `byval`, `sret` and the like that were written without a type, as LLVM did before version 12, the type that
  // the pointer had: `type_text` is the text of the pointer's type, such as "%T addrspace(1)*". Sets
  // `completed` if there was any.
  bool CompleteTypeAttributes(std::string_view type_text, IrAttributes* attributes, bool* completed);
  // Returns the position of the first bare word among the attributes parsed last that is not a known attribute, or
  // null. If parsing fails at what follows, this word is the likely error.
  const char* unknown_attribute() const { return unknown_attribute_; }
  static bool IsKnownAttribute(std::string_view word);

  // Parses a metadata node from "distinct", '!' or the name on. For lazy parsing.
  const MetadataNode* ParseMetadataNode();

 private:
  class DepthGuard {
   public:
    explicit DepthGuard(IrParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~DepthGuard() { --parser_.depth_; }
    bool too_deep() const { return parser_.depth_ > kMaxDepth; }

   private:
    IrParser& parser_;
  };

  struct GlobalReference {
    IrConstant* constant;
    std::string_view name;
    bool is_numbered;
    const char* position;
    bool check_type;
  };

  template <typename T>
  absl::Span<const T> CopyToArena(absl::Span<const T> values);
  IrConstant* NewConstant(IrConstant::Kind kind, const IrType* type);

  const IrType* ParseTypeNoFunction();
  const IrType* ParsePointerSuffix();
  const IrType* ParseTypeWord();
  const IrType* ParseLocalType();
  const IrType* ParseStructType();
  const IrType* ParseSequenceType(char close);
  const IrType* ParseTargetType();
  const IrType* ParseFunctionType(const IrType* result);
  bool CheckStructNesting();

  // The result of parsing a number literal. kNotLiteral: the token is something else and was not consumed.
  enum class LiteralResult : uint8_t { kNotLiteral, kParsed, kFailed };
  LiteralResult ParseScalarLiteral(const IrType* type, uint64_t* word);
  bool ParseIntegerWords(const IrType* type, std::vector<uint64_t>* words);
  bool ParseFloatBits(const IrType* type, uint64_t* low, uint64_t* high);
  bool ParseHexFloat(const IrType* type, uint64_t* low, uint64_t* high);
  const IrConstant* ParseWordConstant(const IrType* type);
  const IrConstant* ParseNumberConstant(const IrType* type);
  const IrConstant* ParseStringConstant(const IrType* type);
  const IrConstant* ParseSequenceConstant(const IrType* type, char close);
  const IrConstant* ParseStructConstant(const IrType* type, bool packed);
  const IrConstant* ParseGlobalConstant(const IrType* type);
  const IrConstant* ParseSpecialGlobal(const IrType* type, IrConstant::Kind kind);
  const IrConstant* ParseBlockAddress(const IrType* type);
  const IrConstant* ParseSplat(const IrType* type);
  const IrConstant* ParsePtrAuth(const IrType* type);
  const IrConstant* ParseExpression(const IrType* type, IrConstant::Opcode opcode);
  bool ParseExpressionFlags(IrConstant* constant);
  bool ParseInRange(IrConstant* constant);
  bool ParseOperandList(char close, std::vector<const IrConstant*>* operands);
  const IrType* ResultType(const IrConstant& constant);
  bool ExpectType(const char* position, const IrType* actual, const IrType* expected, std::string_view what);
  bool ReferToGlobal(IrConstant* constant, bool check_type);

  bool ParseParenthesizedAttribute(IrAttribute* attribute);
  bool SkipBalanced(char open, char close);

  const MetadataNode* ParseMetadataTuple(bool distinct);
  const MetadataNode* ParseSpecializedNode(bool distinct);
  bool ParseMetadataOperand(MetadataOperand* operand);
  bool ParseMetadataSymbol(MetadataOperand* operand);

  IrLexer lexer_;
  Module& module_;
  ErrorSink error_;
  int depth_ = 0;
  const char* unknown_attribute_ = nullptr;
  absl::flat_hash_map<const IrType*, const char*> undefined_structs_;  // the first mention of each
  absl::flat_hash_map<const IrType*, bool> defined_structs_;
  std::vector<GlobalReference> references_;
};

// Returns the opcode with this name, or kNone if constants cannot use such an opcode.
IrConstant::Opcode FindConstantOpcode(std::string_view word);

}  // namespace ptxmir

#endif  // PTXMIR_IR_IR_PARSER_H_

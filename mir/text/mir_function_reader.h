// SPDX-License-Identifier: Apache-2.0

// Reads one YAML document of a MIR file, that is, one machine function.
//
// Keys may come in any order. All are processed in place except the body. It needs the others (stack objects,
// constants, register classes) and is read last.

#ifndef PTXMIR_MIR_TEXT_MIR_FUNCTION_READER_H_
#define PTXMIR_MIR_TEXT_MIR_FUNCTION_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/yaml.h"
#include "mir/text/block_line_reader.h"
#include "mir/text/mir_body_reader.h"
#include "mir/text/mir_reader_state.h"

namespace ptxmir {

class MirFunctionReader {
 public:
  MirFunctionReader(MirFileState& file, YamlReader& yaml) : file_(file), yaml_(yaml) {}

  // Reads the current document of `yaml`. After errors, the result is null or an incomplete function.
  std::unique_ptr<MachineFunction> Read();

 private:
  void ReadKeys();
  // The handlers of keys of mappings. They consume the value; returning false gives up the document.
  bool ReadKey(const YamlScalar& key);
  bool ReadKnownKey(const YamlScalar& key, size_t index);
  bool ReadRegisters();
  bool ReadRegister();
  void DefineRegister(const YamlScalar& id, const YamlScalar& reg_class, const YamlScalar& preferred);
  bool ReadLiveIns();
  bool ReadFrameInfo();
  bool ReadStackObjects(bool is_fixed);
  bool ReadStackObject(bool is_fixed);
  bool ReadStackObjectKey(int key, StackObject* object, bool is_fixed);
  bool ReadStackType(StackObject* object, bool is_fixed);
  bool ReadStackId(StackObject* object);
  void PlaceStackObject(const YamlScalar& id, const StackObject& object, bool is_fixed);
  bool ReadConstants();
  bool ReadConstant();
  bool ReadJumpTable();
  bool ReadJumpTableEntry();

  void MissingKey(std::string_view key, const char* entry, size_t errors_before);
  // Read values. They report invalid values and continue.
  bool ReadBool(bool* value);
  bool ReadUnsigned(uint64_t* value, uint64_t max = ~uint64_t{0});
  bool ReadSigned(int64_t* value);
  bool ReadText(std::string_view* value);
  bool ReadAlignLog2(uint8_t* value);
  // Returns the text of a scalar, in memory that lives as long as the module.
  std::string_view TextOf(const YamlScalar& scalar);

  void FindName();
  bool CreateFunction(std::string_view name, const char* position);
  bool ReadDagKey(const YamlScalar& key);
  void ReadBody();
  void ReadDecodedBody();
  void CheckRegisterClasses();
  void SetComputedProperties();
  void SetComputed(uint32_t property, uint32_t given, bool computed, std::string_view conflict);
  const char* FirstUse(Register reg) const;
  void Error(const char* position, std::string message) {
    file_.diagnostics.Error(file_.buffer, position, std::move(message));
  }

  MirFileState& file_;
  YamlReader& yaml_;
  std::unique_ptr<MachineFunction> function_;
  std::optional<MirFunctionState> state_;
  std::optional<MirBodyReader> body_reader_;
  std::unique_ptr<BlockLineReader> line_reader_;  // only if there is a `dag`
  uint64_t seen_keys_ = 0;                        // one bit per index in the table of keys
  size_t last_key_ = ~size_t{0};
  const char* document_ = nullptr;
  const char* name_position_ = nullptr;
  bool has_body_ = false;
  YamlScalar body_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_FUNCTION_READER_H_

// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/semantics/builtins.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/warp.h"

namespace ptxmir::ptx {
namespace {

constexpr size_t kMaxText = 1 << 16;
constexpr uint64_t kMaxHeap = uint64_t{1} << 28;

// One call of a builtin by one lane.
class BuiltinCall {
 public:
  BuiltinCall(Warp& warp, const DecodedInstr& instr, const CallSite& site, unsigned lane)
      : warp_(warp), instr_(instr), site_(site), lane_(lane) {}

  // Reads an argument. Returns false after a fault.
  bool Argument(size_t i, unsigned size, uint64_t* value) {
    *value = 0;
    if (i >= site_.arguments.size()) return true;
    const size_t at = size_t{lane_} * warp_.code().outgoing_size + site_.arguments[i].offset;
    const uint8_t* undefined = warp_.frame().outgoing_undefined.data() + at;
    if (std::any_of(undefined, undefined + size, [](uint8_t bits) { return bits != 0; })) {
      warp_.Fail(instr_, FaultKind::kUndefinedOperand, lane_, StrCat("argument ", i, " is undefined"));
      return false;
    }
    std::memcpy(value, warp_.frame().outgoing.data() + at, size);
    return true;
  }
  void Return(uint64_t value) {
    if (!site_.result.has_value()) return;
    const size_t at = size_t{lane_} * warp_.code().outgoing_size + site_.result->offset;
    const size_t size = std::min<size_t>(site_.result->size, 8);
    std::memcpy(warp_.frame().outgoing.data() + at, &value, size);
    std::memset(warp_.frame().outgoing_undefined.data() + at, 0, size);
  }
  bool ReadText(uint64_t address, std::string* text) {
    while (text->size() < kMaxText) {
      uint8_t byte = 0;
      uint8_t undefined = 0;
      if (!warp_.Load(instr_, MemorySpace::kGeneric, address + text->size(), 1, lane_, AccessKind::kPlain, &byte,
                      &undefined)) {
        return false;
      }
      if (byte == 0) break;
      text->push_back(static_cast<char>(byte));
    }
    return true;
  }
  bool Print();
  bool AssertFail();
  bool Allocate();
  bool Free();

 private:
  bool NextValue(uint64_t* at, unsigned size, uint64_t* value) {
    *at = (*at + size - 1) / size * size;
    uint8_t bytes[8] = {};
    uint8_t undefined[8] = {};
    if (!warp_.Load(instr_, MemorySpace::kGeneric, *at, size, lane_, AccessKind::kPlain, bytes, undefined)) {
      return false;
    }
    *at += size;
    std::memcpy(value, bytes, sizeof bytes);
    return true;
  }
  bool Convert(const std::string& conversion, uint64_t* at, std::string* out);

  Warp& warp_;
  const DecodedInstr& instr_;
  const CallSite& site_;
  const unsigned lane_;
};

// Appends one conversion, such as "%-5.2f". Takes its value from the argument buffer.
bool BuiltinCall::Convert(const std::string& conversion, uint64_t* at, std::string* out) {
  const char kind = conversion.back();
  const bool is_long = conversion.find_first_of("ljzt") != conversion.npos;
  uint64_t value = 0;
  std::string flags;
  for (const char c : conversion.substr(0, conversion.size() - 1)) {
    if (std::strchr("hljztL", c) == nullptr) flags.push_back(c);
  }
  // A width or precision may itself be an argument.
  for (size_t star = flags.find('*'); star != flags.npos; star = flags.find('*')) {
    if (!NextValue(at, 4, &value)) return false;
    flags.replace(star, 1, StrCat(static_cast<int32_t>(value)));
  }
  if (flags.size() > 24) flags = "%";
  char buffer[512];
  switch (kind) {
    case 'd':
    case 'i':
      if (!NextValue(at, is_long ? 8 : 4, &value)) return false;
      std::snprintf(buffer, sizeof buffer, (flags + "lld").c_str(),
                    is_long ? static_cast<long long>(value) : static_cast<long long>(static_cast<int32_t>(value)));
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (!NextValue(at, is_long ? 8 : 4, &value)) return false;
      std::snprintf(buffer, sizeof buffer, (flags + "ll" + kind).c_str(), static_cast<unsigned long long>(value));
      break;
    case 'c':
      if (!NextValue(at, 4, &value)) return false;
      std::snprintf(buffer, sizeof buffer, (flags + "c").c_str(), static_cast<int>(value));
      break;
    case 'p':
      if (!NextValue(at, 8, &value)) return false;
      std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
      break;
    case 's': {
      std::string text;
      if (!NextValue(at, 8, &value) || !ReadText(value, &text)) return false;
      std::snprintf(buffer, sizeof buffer, (flags + "s").c_str(), text.c_str());
      break;
    }
    default:
      if (!NextValue(at, 8, &value)) return false;
      std::snprintf(buffer, sizeof buffer, (flags + kind).c_str(), std::bit_cast<double>(value));
      break;
  }
  out->append(buffer);
  return true;
}

bool BuiltinCall::Print() {
  uint64_t format_address = 0, at = 0;
  std::string format, out;
  if (!Argument(0, 8, &format_address) || !Argument(1, 8, &at) || !ReadText(format_address, &format)) return false;
  int conversions = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out.push_back(format[i]);
      continue;
    }
    const size_t end = format.find_first_of("diuxXocspfFeEgGaA%", i + 1);
    if (end == format.npos) break;
    if (format[end] == '%') {
      out.push_back('%');
    } else if (!Convert(format.substr(i, end - i + 1), &at, &out)) {
      return false;
    } else {
      ++conversions;
    }
    i = end;
  }
  warp_.grid().program().printed += out;
  Return(static_cast<uint64_t>(conversions));
  return true;
}

bool BuiltinCall::AssertFail() {
  uint64_t message = 0, file = 0, line = 0, function = 0;
  std::string message_text, file_text, function_text;
  if (!Argument(0, 8, &message) || !Argument(1, 8, &file) || !Argument(2, 4, &line) || !Argument(3, 8, &function) ||
      !ReadText(message, &message_text) || !ReadText(file, &file_text) || !ReadText(function, &function_text)) {
    return false;
  }
  warp_.Fail(instr_, FaultKind::kTrap, lane_,
             StrCat(file_text, ":", line, ": ", function_text, ": assertion '", message_text, "' failed"));
  return false;
}

bool BuiltinCall::Allocate() {
  uint64_t size = 0;
  if (!Argument(0, 8, &size)) return false;
  GlobalMemory& memory = warp_.grid().program().global;
  Return(size > kMaxHeap ? 0 : memory.Allocate("heap memory", size, 16, /*undefined=*/true));
  return true;
}

bool BuiltinCall::Free() {
  uint64_t address = 0;
  if (!Argument(0, 8, &address)) return false;
  if (address == 0 || warp_.grid().program().global.Free(address)) return true;
  warp_.Fail(instr_, FaultKind::kUseAfterFree, lane_, "free of what was not allocated, or freed before");
  return false;
}

}  // namespace

StepResult CallBuiltin(Warp& warp, const DecodedInstr& instr, const CallSite& site, std::string_view name) {
  for (const unsigned lane : Lanes(warp.active())) {
    BuiltinCall call(warp, instr, site, lane);
    bool ok = false;
    if (name == "vprintf") {
      ok = call.Print();
    } else if (name == "__assertfail") {
      ok = call.AssertFail();
    } else if (name == "malloc") {
      ok = call.Allocate();
    } else if (name == "free") {
      ok = call.Free();
    } else {
      return warp.Fail(instr, FaultKind::kUnsupported, lane,
                       StrCat("a call of '", name, "', which the module does not define"));
    }
    if (!ok) return StepResult::kFault;
  }
  return StepResult::kNext;
}

}  // namespace ptxmir::ptx

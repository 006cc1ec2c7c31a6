// SPDX-License-Identifier: Apache-2.0

#include "mir/text/input_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/str_cat.h"

namespace ptxmir {
namespace {

// The number of bytes that decide whether a file is text.
constexpr size_t kSample = 1024;

// A kind of file that begins with certain bytes. In `advice`, FILE is the file's name, and OUT the name of the file
// that a command makes.
struct Magic {
  std::string_view bytes;
  std::string_view kind;
  std::string_view advice;
  std::string_view out_extension;  // replaces the file's own; "-" only removes the file's own
};

using namespace std::string_view_literals;  // NOLINT: literals may contain zeros

constexpr std::string_view kDisassemble = "make LLVM IR text of it with 'llvm-dis FILE -o OUT'";
constexpr std::string_view kNoWayBack = "LLVM IR cannot be made of it; compile its source to LLVM IR";
constexpr std::string_view kFromSpirv =
    "translate it with 'llvm-spirv -r FILE -o OUT', and make LLVM IR text of that with llvm-dis";

constexpr Magic kMagics[] = {
    {"BC\xc0\xde"sv, "LLVM bitcode", kDisassemble, ".ll"},
    {"\xde\xc0\x17\x0b"sv, "LLVM bitcode in a wrapper", kDisassemble, ".ll"},
    {"\x1f\x8b"sv, "compressed by gzip", "decompress it with 'gzip -dc FILE > OUT'", "-"},
    {"\x28\xb5\x2f\xfd"sv, "compressed by zstd", "decompress it with 'zstd -dc FILE > OUT'", "-"},
    {"\xfd\x37zXZ\0"sv, "compressed by xz", "decompress it with 'xz -dc FILE > OUT'", "-"},
    {"BZh"sv, "compressed by bzip2", "decompress it with 'bzip2 -dc FILE > OUT'", "-"},
    {"PK\x03\x04"sv, "a zip archive", "extract its files with 'unzip FILE'", "-"},
    {"\x50\xed\x55\xba"sv, "a fatbin (compiled GPU code)", kNoWayBack, ""},
    {"!<arch>\n"sv, "an archive of object files", kNoWayBack, ""},
    {"MZ\x90\0"sv, "a Windows executable", kNoWayBack, ""},
    {"\xcf\xfa\xed\xfe"sv, "a Mach-O object file", kNoWayBack, ""},
    {"\x03\x02\x23\x07"sv, "SPIR-V", kFromSpirv, ".bc"},
    {"\x07\x23\x02\x03"sv, "SPIR-V of big-endian words", kFromSpirv, ".bc"},
    {"\xff\xfe\0\0"sv, "text in UTF-32", "convert it with 'iconv -f UTF-32 -t UTF-8 FILE > OUT'", ".utf8.mir"},
    {"\0\0\xfe\xff"sv, "text in UTF-32", "convert it with 'iconv -f UTF-32 -t UTF-8 FILE > OUT'", ".utf8.mir"},
    {"\xff\xfe"sv, "text in UTF-16", "convert it with 'iconv -f UTF-16 -t UTF-8 FILE > OUT'", ".utf8.mir"},
    {"\xfe\xff"sv, "text in UTF-16", "convert it with 'iconv -f UTF-16 -t UTF-8 FILE > OUT'", ".utf8.mir"},
};

// A kind of text, known by the beginning of its first line that is no comment.
struct Beginning {
  std::string_view text;
  const Magic* kind;
};

constexpr Magic kIrText = {
    {}, "LLVM IR text, not MIR", "make MIR of it with 'ptxmir -stop-after=finalize-isel FILE -o OUT'", ".mir"};
constexpr Magic kPtxText = {{}, "PTX text", kNoWayBack, ""};
constexpr Magic kSource = {
    {},
    "C++ or CUDA source",
    "make LLVM IR of it with 'clang-22 -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -O3 -S -emit-llvm FILE -o OUT'",
    ".ll"};
constexpr Magic kSpirvText = {
    {}, "SPIR-V text", "assemble it with 'spirv-as FILE -o OUT' and translate that with 'llvm-spirv -r'", ".spv"};
constexpr Magic kMlirText = {
    {}, "MLIR text", "make LLVM IR of its LLVM dialect with 'mlir-translate --mlir-to-llvmir FILE -o OUT'", ".ll"};
constexpr Magic kPassDump = {{},
                             "a dump of llc's -print-after or -debug",
                             "compile the LLVM IR, or MIR that llc's -stop-after=finalize-isel makes of it",
                             ""};

constexpr Beginning kBeginnings[] = {
    {"; ModuleID", &kIrText},
    {"source_filename", &kIrText},
    {"target triple", &kIrText},
    {"target datalayout", &kIrText},
    {"define ", &kIrText},
    {"declare ", &kIrText},
    {"attributes #", &kIrText},
    {"module asm ", &kIrText},
    {"@", &kIrText},
    {"$", &kIrText},
    {"%", &kIrText},
    {"!", &kIrText},
    {".version", &kPtxText},
    {"; SPIR-V", &kSpirvText},
    {"OpCapability", &kSpirvText},
    {"module {", &kMlirText},
    {"module attributes", &kMlirText},
    {"module @", &kMlirText},
    {"builtin.module", &kMlirText},
    {"gpu.module", &kMlirText},
    {"llvm.func", &kMlirText},
    {"func.func", &kMlirText},
    {"#include", &kSource},
    {"#pragma", &kSource},
    {"#define", &kSource},
    {"#ifdef", &kSource},
    {"#ifndef", &kSource},
    {"#if ", &kSource},
    {"extern ", &kSource},
    {"template", &kSource},
    {"namespace", &kSource},
    {"using ", &kSource},
    {"typedef ", &kSource},
    {"struct ", &kSource},
    {"static ", &kSource},
    {"const ", &kSource},
    {"constexpr ", &kSource},
    {"inline ", &kSource},
    {"void ", &kSource},
    {"__", &kSource},
    {"kernel ", &kSource},
    {"# Machine code for function", &kPassDump},
    {"# *** IR Dump", &kPassDump},
    {"*** IR Dump", &kPassDump},
    {"# End machine code", &kPassDump},
};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

// Returns true if a line begins as a YAML document or a machine function does.
bool IsMirLine(std::string_view line) {
  return line.starts_with("---") || line.starts_with("name:") || line.starts_with("%YAML");
}

// Returns the text's next line and removes it from `rest`.
std::string_view TakeLine(std::string_view* rest) {
  const size_t end = std::min(rest->find('\n'), rest->size());
  const std::string_view line = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return line;
}

std::string_view WithoutIndent(std::string_view line) {
  while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
  return line;
}

bool HasMirLine(std::string_view text) {
  while (!text.empty()) {
    if (IsMirLine(TakeLine(&text))) return true;
  }
  return false;
}

// The name as a shell reads it.
std::string Quoted(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./+,:=@%").find(c) != std::string_view::npos;
  };
  if (std::all_of(name.begin(), name.end(), is_plain)) return std::string(name);
  return StrCat("\"", name, "\"");
}

std::string OutputName(std::string_view name, std::string_view extension) {
  const size_t slash = name.rfind('/');
  const size_t dot = name.rfind('.');
  const bool has_extension = dot != name.npos && dot != 0 && (slash == name.npos || dot > slash + 1);
  const std::string_view stem = name.substr(0, has_extension ? dot : name.size());
  if (extension != "-") return StrCat(stem, extension);
  return has_extension ? std::string(stem) : StrCat(stem, ".mir");
}

std::string Explain(const SourceBuffer& buffer, std::string_view kind, std::string_view advice,
                    std::string_view out_extension) {
  const bool has_name = !buffer.name().empty() && buffer.name()[0] != '<';
  const std::string_view name = has_name ? std::string_view(buffer.name()) : std::string_view("FILE");
  std::string text(advice);
  const auto replace = [&](std::string_view word, const std::string& value) {
    const size_t at = text.find(word);
    if (at != text.npos) text.replace(at, word.size(), value);
  };
  replace("OUT", Quoted(OutputName(name, out_extension)));
  replace("FILE", Quoted(name));
  return StrCat("'", buffer.name().empty() ? "the input" : buffer.name(), "' is ", kind, "; ", text);
}

std::string Explain(const SourceBuffer& buffer, const Magic& kind) {
  return Explain(buffer, kind.kind, kind.advice, kind.out_extension);
}

// Binary files.

std::string ElfKind(std::string_view text) {
  constexpr size_t kMachine = 18;  // e_machine, little-endian
  constexpr unsigned kCuda = 190;
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned machine = byte(kMachine) | byte(kMachine + 1) << 8;
  return machine == kCuda ? "a cubin (GPU machine code in ELF)" : "an ELF object file or executable";
}

// Returns 0 or 1 if every byte with an even or odd number is zero and the others are text, or -1. Such text is in
// UTF-16 without a byte order mark.
int ZeroBytesOfUtf16(std::string_view text) {
  const std::string_view sample = text.substr(0, std::min(kSample, text.size()) & ~size_t{1});
  if (sample.size() < 4) return -1;
  for (size_t zero = 0; zero < 2; ++zero) {
    size_t matches = 0;
    for (size_t i = 0; i < sample.size(); i += 2) {
      const auto other = static_cast<unsigned char>(sample[i + 1 - zero]);
      matches += sample[i + zero] == '\0' && other != 0 && other < 0x80 ? 1 : 0;
    }
    if (matches == sample.size() / 2) return static_cast<int>(zero);
  }
  return -1;
}

bool IsBinary(std::string_view text) {
  const std::string_view sample = text.substr(0, kSample);
  size_t controls = 0;
  for (const char c : sample) {
    if (c == '\0') return true;
    controls += (static_cast<unsigned char>(c) < 0x20 && !IsBlank(c) && c != '\x1b') || c == '\x7f' ? 1 : 0;
  }
  return controls * 10 > sample.size();
}

std::string WhyNotText(const SourceBuffer& buffer) {
  const std::string_view text = buffer.text();
  for (const Magic& magic : kMagics) {
    if (text.starts_with(magic.bytes)) return Explain(buffer, magic);
  }
  if (text.starts_with("\x7f\x45LF")) return Explain(buffer, ElfKind(text), kNoWayBack, "");
  if (const int zero = ZeroBytesOfUtf16(text); zero >= 0) {
    const std::string encoding = zero == 0 ? "UTF-16BE" : "UTF-16LE";
    return Explain(buffer, StrCat("text in ", encoding),
                   StrCat("convert it with 'iconv -f ", encoding, " -t UTF-8 FILE > OUT'"), ".utf8.mir");
  }
  if (!IsBinary(text)) return {};
  return Explain(buffer, "a binary file of an unknown kind", "expected LLVM IR text, or MIR, which begins with '---'",
                 "");
}

// Text.

// Removes the comment of C, C++ and PTX that the text begins with. Returns false if it begins with none.
bool SkipSourceComment(std::string_view* text) {
  if (text->starts_with("//")) {
    TakeLine(text);
    return true;
  }
  if (!text->starts_with("/*")) return false;
  const size_t end = text->find("*/", 2);
  text->remove_prefix(end == text->npos ? text->size() : end + 2);
  return true;
}

// Returns the kind of text that a line begins, or null.
const Magic* KindOfLine(std::string_view line) {
  for (const Beginning& beginning : kBeginnings) {
    if (line.starts_with(beginning.text)) return beginning.kind;
  }
  return nullptr;
}

// Returns the kind of a text that is no MIR. Sets `is_empty` if it has nothing but comments. Returns null if the text
// may be MIR or is of an unknown kind.
const Magic* KindOfText(std::string_view text, bool* is_empty) {
  bool has_ir_comment = false;
  while (true) {
    text = WithoutIndent(text);
    if (text.empty()) {
      *is_empty = !has_ir_comment;
      return has_ir_comment ? &kIrText : nullptr;
    }
    if (IsMirLine(text)) return nullptr;
    if (const Magic* kind = KindOfLine(text.substr(0, std::min<size_t>(text.size(), 64))); kind != nullptr) return kind;
    if (SkipSourceComment(&text)) continue;
    if (text[0] != '#' && text[0] != ';') return nullptr;
    has_ir_comment |= text[0] == ';';
    TakeLine(&text);
  }
}

}  // namespace

std::string WhyNotMir(const SourceBuffer& buffer) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string_view text = buffer.text();
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.starts_with("---")) return {};
  if (std::string reason = WhyNotText(buffer); !reason.empty()) return reason;
  bool is_empty = false;
  const Magic* kind = KindOfText(text, &is_empty);
  if (is_empty) {
    return StrCat("'", buffer.name().empty() ? "the input" : buffer.name(), "' is empty: it has no machine function");
  }
  // Comments of MIR may look like another language.
  if (kind == nullptr || HasMirLine(text)) return {};
  return Explain(buffer, *kind);
}

bool IsIrText(const SourceBuffer& buffer) {
  const std::string_view text = buffer.text();
  bool is_empty = false;
  if (text.starts_with("---") || KindOfText(text, &is_empty) != &kIrText) return false;
  return !IsBinary(text) && !HasMirLine(text.substr(0, kSample));
}

std::string WhyNotNvptx(std::string_view triple, const SourceBuffer& buffer) {
  if (triple.empty() || triple.starts_with("nvptx")) return {};
  return StrCat("'", buffer.name().empty() ? "the input" : buffer.name(), "' is MIR for the target '", triple,
                "', not for NVPTX; make MIR for NVPTX from the LLVM IR with 'llc-22 -mtriple=nvptx64-nvidia-cuda "
                "-mcpu=sm_80 -stop-after=finalize-isel'");
}

std::string WhyNotUpgraded(const OldMirRefusal& refusal, const SourceBuffer& buffer) {
  const size_t others = refusal.count - 1;
  return StrCat("'", buffer.name().empty() ? "the input" : buffer.name(), "' is MIR of ", NameOf(refusal.version),
                ", and '", refusal.opcode, "' cannot be upgraded to LLVM 22, because it ", refusal.reason,
                others == 0 ? std::string()
                            : StrCat("; nor can ", others, others == 1 ? " other instruction" : " other instructions"),
                "; make the MIR anew from the LLVM IR that was llc's input, with 'llc-22 -mtriple=nvptx64-nvidia-cuda "
                "-mcpu=sm_80 -stop-after=finalize-isel'");
}

}  // namespace ptxmir

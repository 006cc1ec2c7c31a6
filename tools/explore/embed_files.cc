// SPDX-License-Identifier: Apache-2.0

// Writes a C++ file that holds the contents of other files: embed_files OUTPUT FILE... The output defines PageFiles()
// (page_files.h).

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

// Appends the text as string literals of one line each, which keeps them short enough for any compiler.
void AppendLiterals(std::string_view text, std::string& out) {
  constexpr char kDigits[] = "01234567";
  out += "        \"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n\"\n        \"";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte >= 0x20 && byte < 0x7f && c != '?') {
      out += c;
    } else {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += kDigits[byte >> shift & 7];
    }
  }
  out += "\"";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: embed_files OUTPUT FILE...\n", stderr);
    return 1;
  }
  std::string out =
      "// Made by tools/explore/embed_files.cc.\n\n#include \"tools/explore/page_files.h\"\n\nnamespace ptxmir {\n"
      "namespace {\n\nusing namespace std::string_view_literals;\n\nconstexpr PageFile kFiles[] = {\n";
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) {
      std::fprintf(stderr, "embed_files: could not read '%s'\n", argv[i]);
      return 1;
    }
    const std::string_view path = argv[i];
    out += "    {\"";
    out += path.substr(path.rfind('/') + 1);
    out += "\"sv,\n";
    AppendLiterals(text, out);
    out += "sv},\n";
  }
  out +=
      "};\n\n}  // namespace\n\nabsl::Span<const PageFile> PageFiles() { return kFiles; }\n\n}  // namespace ptxmir\n";
  std::ofstream output(argv[1], std::ios::binary);
  output << out;
  return output.flush() ? 0 : 1;
}

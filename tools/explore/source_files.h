// SPDX-License-Identifier: Apache-2.0

// The files of the source program that debug locations name, where they are found.

#ifndef PTXMIR_TOOLS_EXPLORE_SOURCE_FILES_H_
#define PTXMIR_TOOLS_EXPLORE_SOURCE_FILES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmir {

// Returns the part of a path after the last slash.
std::string_view FileName(std::string_view path);

class SourceFiles {
 public:
  struct File {
    std::string name;  // as debug locations have it
    std::vector<std::string> lines;
  };

  // Files are looked for under their own names, and in the folder of the input.
  explicit SourceFiles(std::string_view input);

  // Reads a file, unless that was tried before.
  void Read(const std::string& name);
  // Returns the index of the file in files(); nullopt if it was not read, not found, or is larger than a page should
  // be.
  std::optional<size_t> IndexOf(const std::string& name) const;
  const std::vector<File>& files() const { return files_; }

 private:
  std::string folder_;  // ends in a slash unless it is empty
  std::map<std::string, std::optional<size_t>> indexes_;
  std::vector<File> files_;
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_EXPLORE_SOURCE_FILES_H_

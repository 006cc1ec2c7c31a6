// SPDX-License-Identifier: Apache-2.0

// "Did you mean ...?": the candidate nearest to a misspelt name, by Levenshtein distance.

#ifndef PTXMIR_BASE_NEAREST_NAME_H_
#define PTXMIR_BASE_NEAREST_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmir {

class NearestName {
 public:
  explicit NearestName(std::string_view wanted);

  // Offers a name; it must outlive this object. Of equally near ones the first offered wins.
  void Consider(std::string_view candidate);

  // The nearest candidate, or empty when none is near enough to be what was meant (within about a third
  // of the name's length).
  std::string_view best() const { return best_; }
  // "; did you mean 'x'?", or empty.
  std::string Suggestion() const;

 private:
  std::string_view wanted_;
  std::string_view best_;
  size_t best_distance_;     // candidates must beat this
  std::vector<size_t> row_;  // of the distance matrix, reused
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_NEAREST_NAME_H_

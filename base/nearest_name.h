// SPDX-License-Identifier: Apache-2.0

// "Did you mean ...?": finds the candidate nearest to a misspelled name, by Levenshtein distance.

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

  // Offers a candidate, which must outlive this object. Among equally near candidates, the one wins that begins like
  // the wanted name for longer, then the first one.
  void Consider(std::string_view candidate);

  // Returns the nearest candidate. Empty if none is near enough (within about a third of the name's length).
  std::string_view best() const { return best_; }
  // Returns "; did you mean 'x'?", or an empty string.
  std::string Suggestion() const;

 private:
  std::string_view wanted_;
  std::string_view best_;
  size_t best_distance_;     // a candidate must be at most as far as this
  std::vector<size_t> row_;  // one row of the distance matrix, reused
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_NEAREST_NAME_H_

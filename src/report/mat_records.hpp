// The records of MATLAB files of level 4: a header, then a matrix column after column.
//
// They are written by hand: matio lays out the same bytes, but it wants each matrix in memory,
// reports a full disk only when it closes, and writes beside AtomicFile, so that the number of
// bytes is not known.
#pragma once

#include <cstddef>
#include <cstring>

#include "daedalus/base/file.hpp"

namespace daedalus::report {

// MOPT of the format's header.
constexpr int type_double = 0;
constexpr int type_sparse = 2;  // rows of row, column and value, counted from 1; the last: the size
constexpr int type_int32 = 20;
constexpr int type_text = 51;

struct MatMatrix {
  const char* name;
  int type;
  std::size_t rows;
  std::size_t columns;

  std::size_t bytes() const;  // with its header
};

template <class Number>
void write_raw(AtomicFile& file, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  file.write({bytes, sizeof number});
}

void write_header(AtomicFile& file, const MatMatrix& matrix);

}  // namespace daedalus::report

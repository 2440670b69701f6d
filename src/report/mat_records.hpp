// The records of MATLAB files of level 4: a header, then a matrix column after column.
//
// They are written by hand: matio writes the same bytes, but it needs each matrix in memory,
// reports a full disk only when it closes, and writes files by itself, so that a run could neither
// extend a file row by row nor know the number of bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

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

// The offset of the number of columns in a header.
constexpr std::size_t offset_of_columns = 8;

template <class Number>
void append_raw(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

void append_header(std::string& bytes, const MatMatrix& matrix);

}  // namespace daedalus::report

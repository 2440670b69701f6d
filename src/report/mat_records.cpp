#include "report/mat_records.hpp"

#include <bit>
#include <cstdint>
#include <string_view>

namespace daedalus::report {
namespace {

constexpr int big_endian = 1000;
constexpr std::size_t header_bytes = 20;

std::size_t element_bytes(int type) {
  if (type == type_text) return 1;
  return type == type_int32 ? 4 : 8;
}

}  // namespace

std::size_t MatMatrix::bytes() const {
  return header_bytes + std::strlen(name) + 1 + rows * columns * element_bytes(type);
}

void append_header(std::string& bytes, const MatMatrix& matrix) {
  const std::string_view name = matrix.name;
  const int order = std::endian::native == std::endian::big ? big_endian : 0;
  append_raw(bytes, static_cast<std::int32_t>(order + matrix.type));
  append_raw(bytes, static_cast<std::int32_t>(matrix.rows));
  append_raw(bytes, static_cast<std::int32_t>(matrix.columns));
  append_raw(bytes, std::int32_t{0});  // no imaginary part
  append_raw(bytes, static_cast<std::int32_t>(name.size() + 1));
  bytes.append(matrix.name, name.size() + 1);
}

}  // namespace daedalus::report

#include "nested.hpp"

#include <cstddef>

namespace daedalus::methods {
namespace {

// p times x, or times 1 - x, plus a constant.
Row multiplied(const Row& p, bool by_complement, Real constant) {
  Row result(p.size() + 1);
  result[0] = constant;
  for (std::size_t k = 0; k < p.size(); ++k) {
    result[k] += by_complement ? p[k] : 0;
    result[k + 1] += by_complement ? -p[k] : p[k];
  }
  return result;
}

}  // namespace

Matrix nested_polynomials(const Row& b, std::size_t last, const Matrix& d) {
  Matrix dense;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Real bi = i < b.size() ? b[i] : 0;
    const Real begin = (i == 0 ? 1 : 0) - bi;
    const Real end = i == last ? 1 : 0;
    Row c = {bi, begin, bi - end - begin};
    c.insert(c.end(), d[i].begin(), d[i].end());
    Row p = {c.back()};
    for (std::size_t k = c.size() - 1; k-- > 0;) p = multiplied(p, k % 2 == 0, c[k]);
    dense.push_back(p);
  }
  return dense;
}

}  // namespace daedalus::methods

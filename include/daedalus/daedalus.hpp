// The names that most users need.
#pragma once

#include "daedalus/engine/engine.hpp"

namespace daedalus {

using engine::load;
using engine::Model;
using engine::Options;
using engine::Problem;
using engine::Setting;
using engine::simulate;
using engine::solve;
using solution::Series;
using solution::Solution;

}  // namespace daedalus

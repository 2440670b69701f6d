// The names that most users need.
#pragma once

#include "daedalus/engine/engine.hpp"
#include "daedalus/engine/linearize.hpp"
#include "daedalus/engine/model_run.hpp"

namespace daedalus {

using engine::Linearization;
using engine::linearize;
using engine::load;
using engine::Model;
using engine::ModelRun;
using engine::Options;
using engine::Problem;
using engine::RunState;
using engine::Setting;
using engine::simulate;
using engine::solve;
using engine::with_settings;
using solution::LinearModel;
using solution::Series;
using solution::Solution;

}  // namespace daedalus

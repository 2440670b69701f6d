#include "daedalus/integrate/choices.hpp"

#include <gtest/gtest.h>

namespace daedalus::integrate {
namespace {

TEST(Choices, HaveNamesThatLeadBackToThem) {
  for (const Controller controller :
       {Controller::Family, Controller::Predictive, Controller::Pi, Controller::Thesis}) {
    EXPECT_EQ(*require_controller(controller_name(controller)), controller);
  }
  for (const Norm norm : {Norm::Rms, Norm::Maximum, Norm::Euclidean}) {
    EXPECT_EQ(*require_norm(norm_name(norm)), norm);
  }
}

TEST(Choices, AreListedWhereTheNameIsWrong) {
  const Error controller = require_controller("pid").error();
  EXPECT_EQ(controller.code, "usage.option");
  EXPECT_EQ(controller.message, "there is no controller `pid`");
  EXPECT_EQ(controller.hint, "the choices are auto, predictive, pi, thesis");
  EXPECT_EQ(require_norm("").error().hint, "the choices are rms, max, euclidean");
}

}  // namespace
}  // namespace daedalus::integrate

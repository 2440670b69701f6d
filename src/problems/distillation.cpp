// The distillation column of Cameron and Gani 1988, as far as the paper describes it; what it
// leaves open is chosen here.
#include <array>
#include <cmath>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {
namespace {

constexpr std::size_t plates = 7, species = 3;  // plate 0 is the lowest
constexpr std::size_t feed_plate = 3;

// Units are kmol, hours, kelvin and bar.
constexpr double pressure = 8.27;
constexpr double feed = 50.0;  // saturated liquid
constexpr std::array<double, species> feed_fraction = {0.30, 0.40, 0.30};
constexpr double reflux_ratio = 2.0;

// ln(P / mmHg) = A - B / (T + C) with the constants of Reid, Prausnitz and Sherwood 1977, appendix
// A, which are used beyond their range. Heats of vaporisation in kJ/mol at the boiling points at
// 8.27 bar: theirs at the normal boiling points, by Watson's rule.
struct Species {
  double A, B, C;
  double latent_heat;
};
constexpr std::array<Species, species> properties = {{
    {15.5381, 2032.73, -33.15, 16.6},  // iso-butane
    {15.6782, 2154.90, -34.42, 17.6},  // n-butane
    {15.6338, 2348.67, -40.05, 19.0},  // iso-pentane
}};

using PerSpecies = std::array<double, species>;
using SpeciesMatrix = std::array<PerSpecies, species>;

// The boiling liquid of a plate, and the vapour in equilibrium with it by Raoult's law.
struct Boiling {
  double holdup = 0.0;
  PerSpecies x = {};
  PerSpecies K = {};        // y / x
  PerSpecies K_slope = {};  // by temperature
  PerSpecies y = {};
};

void set_temperature(Boiling& plate, double T) {
  constexpr double mmHg_per_bar = 750.0616827;
  for (std::size_t i = 0; i < species; ++i) {
    const auto& [A, B, C, heat] = properties[i];
    plate.K[i] = std::exp(A - B / (T + C)) / (mmHg_per_bar * pressure);
    plate.K_slope[i] = plate.K[i] * B / ((T + C) * (T + C));
    plate.y[i] = plate.K[i] * plate.x[i];
  }
}

double weighted(const PerSpecies& weights, const PerSpecies& values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < species; ++i) sum += weights[i] * values[i];
  return sum;
}

// The temperature at which the fractions of the vapour add up to 1, by Newton's method for the
// logarithm of that sum, which is almost a straight line over 1 / T.
Boiling boil(State amounts) {
  Boiling plate;
  for (const double amount : amounts) plate.holdup += amount;
  for (std::size_t i = 0; i < species; ++i) plate.x[i] = amounts[i] / plate.holdup;
  double T = 345.0;
  constexpr int most_iterations = 20;
  for (int k = 0; k < most_iterations; ++k) {
    set_temperature(plate, T);
    const double sum = plate.y[0] + plate.y[1] + plate.y[2];
    const double change = std::log(sum) * sum / weighted(plate.K_slope, plate.x);
    T = T / (1.0 + change / T);
    constexpr double converged = 1e-9;  // the error that is left is of the size of its square
    if (!(std::abs(change) > converged * T)) break;
  }
  set_temperature(plate, T);
  return plate;
}

// dx[i] / dM[l] of the liquid, and dy[i] / dM[l] of the vapour, by the amounts on the plate.
SpeciesMatrix liquid_slopes(const Boiling& plate) {
  SpeciesMatrix slopes = {};
  for (std::size_t i = 0; i < species; ++i)
    for (std::size_t l = 0; l < species; ++l)
      slopes[i][l] = ((i == l ? 1.0 : 0.0) - plate.x[i]) / plate.holdup;
  return slopes;
}

SpeciesMatrix vapour_slopes(const Boiling& plate) {
  SpeciesMatrix slopes = liquid_slopes(plate);
  const double all = weighted(plate.K_slope, plate.x);
  for (std::size_t i = 0; i < species; ++i) {
    for (std::size_t l = 0; l < species; ++l) {
      const double by_temperature = -plate.K_slope[i] * plate.x[i] / all;
      slopes[i][l] = plate.K[i] * slopes[i][l] + by_temperature * (plate.K[l] - 1.0) / plate.holdup;
    }
  }
  return slopes;
}

// The liquid that flows over a weir (Francis), by what stands above it.
struct Weir {
  double below = 0.0;       // kmol up to its edge
  double above_100 = 0.15;  // kmol over it at 100 kmol/h
};
constexpr Weir weir_of_plates = {.below = 0.45};
constexpr Weir weir_of_sump = {.below = 3.0};

struct Overflow {
  double flow = 0.0;
  double slope = 0.0;  // by the holdup
};

Overflow overflow(std::size_t plate, double holdup) {
  const Weir& weir = plate == 0 ? weir_of_sump : weir_of_plates;
  const double above = (holdup - weir.below) / weir.above_100;
  if (!(above > 0.0)) return {};
  const double root = std::sqrt(above);
  return {.flow = 100.0 * above * root, .slope = 150.0 * root / weir.above_100};
}

std::size_t place(std::size_t plate, std::size_t i) { return plate * species + i; }

struct Column {
  std::array<Boiling, plates> plate = {};
  std::array<Overflow, plates> liquid = {};  // that leaves a plate
  double vapour = 0.0;                       // that leaves each plate
  PerSpecies vapour_slope = {};              // by the amounts on plate 0
};

// The duty in kW evaporates liquid of plate 0; equal heats above: the same vapour leaves each
// plate.
Column column(State y, double duty) {
  Column made;
  for (std::size_t j = 0; j < plates; ++j) {
    made.plate[j] = boil(y.subspan(j * species, species));
    made.liquid[j] = overflow(j, made.plate[j].holdup);
  }
  PerSpecies heats = {};
  for (std::size_t i = 0; i < species; ++i) heats[i] = properties[i].latent_heat;
  constexpr double kW_per_flow = 1.0 / 3.6;  // of a kmol/h with 1 kJ/mol
  const double heat = weighted(heats, made.plate[0].y);
  made.vapour = duty / (kW_per_flow * heat);
  const SpeciesMatrix slopes = vapour_slopes(made.plate[0]);
  for (std::size_t l = 0; l < species; ++l) {
    for (std::size_t i = 0; i < species; ++i)
      made.vapour_slope[l] -= made.vapour / heat * heats[i] * slopes[i][l];
  }
  return made;
}

// Of what leaves the top, all of which is condensed, this share returns as liquid.
constexpr double returned = reflux_ratio / (1.0 + reflux_ratio);

}  // namespace

system::Functions distillation(double duty) {
  const auto f = [duty](double, State y, Slope dydt) {
    const Column c = column(y, duty);
    for (std::size_t i = 0; i < species; ++i) {
      for (std::size_t j = 0; j < plates; ++j) {
        const double rising =
            c.vapour * (j > 0 ? c.plate[j - 1].y[i] - c.plate[j].y[i] : -c.plate[j].y[i]);
        const double falling = j + 1 < plates ? c.liquid[j + 1].flow * c.plate[j + 1].x[i]
                                              : returned * c.vapour * c.plate[j].y[i];
        const double fed = j == feed_plate ? feed * feed_fraction[i] : 0.0;
        dydt[place(j, i)] = fed + rising + falling - c.liquid[j].flow * c.plate[j].x[i];
      }
    }
  };
  // Each flow, with what it takes from one plate and brings to another one.
  const auto J = [duty](double, State y, auto set) {
    const Column c = column(y, duty);
    for (std::size_t j = 0; j < plates; ++j) {
      const SpeciesMatrix x_slopes = liquid_slopes(c.plate[j]);
      const SpeciesMatrix y_slopes = vapour_slopes(c.plate[j]);
      const bool is_top = j + 1 == plates;
      const double left = is_top ? 1.0 - returned : 1.0;  // the rest returns at once
      for (std::size_t i = 0; i < species; ++i) {
        for (std::size_t l = 0; l < species; ++l) {
          const double down =
              c.liquid[j].slope * c.plate[j].x[i] + c.liquid[j].flow * x_slopes[i][l];
          const double up = c.vapour * y_slopes[i][l];
          const double up_by_boiling = c.vapour_slope[l] * c.plate[j].y[i];
          set(place(j, i), place(j, l), -down - left * up);
          set(place(j, i), place(0, l), -left * up_by_boiling);
          if (j > 0) set(place(j - 1, i), place(j, l), down);
          if (is_top) continue;
          set(place(j + 1, i), place(j, l), up);
          set(place(j + 1, i), place(0, l), up_by_boiling);
        }
      }
    }
  };
  return dense(plates * species, f, J);
}

// The paper gives the size of the column, its pressure, its species and the step of the duty. The
// start is the steady state at 410 kW. The reference is printed by
// tests/references/distillation.py: the extrapolated midpoint rule, with which Gauss's method of
// order 6 agrees.
Problem distillation_column() {
  return {
      .name = "cameron-5-distillation",
      .title = "distillation of butanes and pentane on seven plates",
      .source = "Cameron and Gani 1988, system 5 (with data of ours)",
      .functions = distillation(322.0),
      .t1 = 1.5,
      .y0 = {0.24645336205783944, 0.88575247620664666,  1.9236744927722671,  0.082221918702114288,
             0.23729062400316242, 0.2849780863717169,   0.11722669032604206, 0.27420416774825412,
             0.21305977100269738, 0.14923064854351939,  0.28533511579952031, 0.1699248647339538,
             0.15760426011172593, 0.28641758900486292,  0.10608953175766035, 0.18436065558456899,
             0.30062754826910132, 0.065123177020578876, 0.21882958089435001, 0.2967567549458015,
             0.034525045034097548},
      .reference =
          {.values = {0.39127842263782658080, 1.0990386421040630254,  1.5743606615249594862,
                      0.11309556785522943727, 0.25914563267871435850, 0.22105613767345309971,
                      0.14361706111235468613, 0.27547564833846837533, 0.17420462880330980421,
                      0.16687348559628575277, 0.27424811643379479666, 0.15217573627042885357,
                      0.17385099058936955396, 0.27020295508984464675, 0.091894120529279108861,
                      0.20126981306815792123, 0.27960037908868342915, 0.055077874127788739978,
                      0.23566028949460329637, 0.27168789782823254344, 0.028599879037174975568},
           .digits = 15.5},
      .scale = 1.0};
}

}  // namespace daedalus::problems

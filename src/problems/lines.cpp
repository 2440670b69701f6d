// Partial differential equations by the method of lines: large systems with sparse Jacobians.
#include <cmath>
#include <numbers>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {

system::Functions heat(std::size_t n) {
  const double c = (static_cast<double>(n) + 1.0) * (static_cast<double>(n) + 1.0);
  const auto f = [n, c](double, State y, Slope dydt) {
    for (std::size_t i = 0; i < n; ++i) {
      const double left = i > 0 ? y[i - 1] : 0.0, right = i + 1 < n ? y[i + 1] : 0.0;
      dydt[i] = c * (left - 2.0 * y[i] + right);
    }
  };
  return sparse(std::vector<double>(n, 0.0), f, [n, c](double, State, auto set) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) set(i, i - 1, c);
      set(i, i, -2.0 * c);
      if (i + 1 < n) set(i, i + 1, c);
    }
  });
}

namespace {

// Every `stride`-th component, `count` of them.
std::vector<std::size_t> every(std::size_t stride, std::size_t count) {
  std::vector<std::size_t> components;
  for (std::size_t k = 0; k < count; ++k) components.push_back(k * stride);
  return components;
}

// From 1 everywhere. The discrete system's own solution: a sine sum whose terms decay quickly.
Problem heat1d() {
  constexpr std::size_t n = 1000;
  constexpr long double pi = std::numbers::pi_v<long double>, cells = n + 1, t1 = 0.1L;
  std::vector<long double> sum(n, 0.0L);
  for (std::size_t k = 1; k <= 101; k += 2) {
    const long double angle = pi * k / cells, sine = std::sin(angle / 2);
    const long double factor =
        2 / cells / std::tan(angle / 2) * std::exp(-4 * cells * cells * sine * sine * t1);
    for (std::size_t i = 1; i <= n; ++i) sum[i - 1] += factor * std::sin(angle * i);
  }
  return {.name = "heat1d",
          .title = "heat equation from 1, 1000 points",
          .source = "closed form",
          .functions = heat(n),
          .t1 = 0.1,
          .y0 = std::vector<double>(n, 1.0),
          .reference = {.values = {sum.begin(), sum.end()}, .digits = 15.5}};
}

// u and v of a point are adjacent. The reference: RADAU and DOP853 at 1e-12 agree to 12.8 digits.
Problem bruss1d() {
  constexpr std::size_t N = 500;
  constexpr double c = 0.02 * (N + 1.0) * (N + 1.0);
  const auto f = [](double, State y, Slope dydt) {
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t u = 2 * i, v = u + 1;
      const bool first = i == 0, last = i + 1 == N;
      const double reaction = y[u] * y[u] * y[v];
      dydt[u] = 1.0 + reaction - 4.0 * y[u] +
                c * ((first ? 1.0 : y[u - 2]) - 2.0 * y[u] + (last ? 1.0 : y[u + 2]));
      dydt[v] = 3.0 * y[u] - reaction +
                c * ((first ? 3.0 : y[v - 2]) - 2.0 * y[v] + (last ? 3.0 : y[v + 2]));
    }
  };
  const auto J = [](double, State y, auto set) {
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t u = 2 * i, v = u + 1;
      const double by_u = 2.0 * y[u] * y[v], by_v = y[u] * y[u];
      set(u, u, by_u - 4.0 - 2.0 * c);
      set(u, v, by_v);
      set(v, u, 3.0 - by_u);
      set(v, v, -by_v - 2.0 * c);
      for (const std::size_t w : {u, v}) {
        if (i > 0) set(w, w - 2, c);
        if (i + 1 < N) set(w, w + 2, c);
      }
    }
  };
  std::vector<double> y0;
  for (std::size_t i = 1; i <= N; ++i) {
    y0.push_back(1.0 + std::sin(2.0 * std::numbers::pi * static_cast<double>(i) / (N + 1.0)));
    y0.push_back(3.0);
  }
  return {.name = "bruss1d",
          .title = "Brusselator with diffusion, 500 points",
          .source = "Hairer and Wanner II, IV.10",
          .functions = sparse(y0, f, J),
          .t1 = 10.0,
          .y0 = y0,
          .reference = {.values = {0.99482519789713542, 3.0715304028786674,  0.88763472387079345,
                                   3.203040024459304,   0.78786961121024324, 3.3213244953850052,
                                   0.70039865034096704, 3.4214192177426757,  0.62747296344162107,
                                   3.5016391271901255,  0.56915226406423469, 3.56288114071394,
                                   0.52409339825492918, 3.6076305137483025,  0.49031956174124491,
                                   3.6390470598938185,  0.46577840234164514, 3.6602948915107363,
                                   0.44866437738021758, 3.6741246925468731,  0.43756314034359411,
                                   3.6826488922471525,  0.43149137735446086, 3.6872391977217491,
                                   0.4298905247093941,  3.6884902370272195,  0.43261137814092998,
                                   3.6862135532780655,  0.43990833027678777, 3.6794458176818283,
                                   0.45244772716567228, 3.6664732092780659,  0.47132192890493485,
                                   3.6448920541948446,  0.4980457035549109,  3.6117453407424609,
                                   0.53449261102942702, 3.5637938633318531,  0.58270883940938523,
                                   3.4979902489165058,  0.64453361041777224, 3.4122021100183986,
                                   0.72098662968125515, 3.3061441856865907,  0.8114880735168245,
                                   3.18230968712373,    0.91315572439074033, 3.0464903970678825},
                        .components = every(21, 48),
                        .digits = 12.8}};
}

}  // namespace

// u and v of a point are adjacent; a source in a disc is switched on at 1.1.
PlaneBrusselator plane_brusselator(std::size_t N) {
  const double c = 0.1 * static_cast<double>(N * N);
  const auto at = [N](std::size_t i, std::size_t j) { return 2 * (i + j * N); };
  const auto before = [N](std::size_t i) { return i > 0 ? i - 1 : N - 1; };
  const auto after = [N](std::size_t i) { return i + 1 < N ? i + 1 : 0; };
  const auto in_disc = [N](std::size_t i, std::size_t j) {  // (x - 0.3)^2 + (y - 0.6)^2 <= 0.1^2
    const int x = 10 * static_cast<int>(i) - 3 * static_cast<int>(N);
    const int y = 10 * static_cast<int>(j) - 6 * static_cast<int>(N);
    return x * x + y * y <= static_cast<int>(N * N);
  };
  const auto f = [=](double t, State y, Slope dydt) {
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t i = 0; i < N; ++i) {
        const std::size_t u = at(i, j), v = u + 1;
        const std::size_t west = at(before(i), j), east = at(after(i), j), south = at(i, before(j)),
                          north = at(i, after(j));
        const double reaction = y[u] * y[u] * y[v], source = t >= 1.1 && in_disc(i, j) ? 5.0 : 0.0;
        dydt[u] = 1.0 + reaction - 4.4 * y[u] + source +
                  c * (y[west] + y[east] + y[south] + y[north] - 4.0 * y[u]);
        dydt[v] = 3.4 * y[u] - reaction +
                  c * (y[west + 1] + y[east + 1] + y[south + 1] + y[north + 1] - 4.0 * y[v]);
      }
    }
  };
  const auto J = [=](double, State y, auto set) {
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t i = 0; i < N; ++i) {
        const std::size_t u = at(i, j), v = u + 1;
        const double by_u = 2.0 * y[u] * y[v], by_v = y[u] * y[u];
        set(u, u, by_u - 4.4 - 4.0 * c);
        set(u, v, by_v);
        set(v, u, 3.4 - by_u);
        set(v, v, -by_v - 4.0 * c);
        for (const std::size_t near :
             {at(before(i), j), at(after(i), j), at(i, before(j)), at(i, after(j))}) {
          set(u, near, c);
          set(v, near + 1, c);
        }
      }
    }
  };
  std::vector<double> y0;
  for (std::size_t j = 0; j < N; ++j) {
    for (std::size_t i = 0; i < N; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(N);
      const double y = static_cast<double>(j) / static_cast<double>(N);
      y0.push_back(22.0 * y * std::pow(1.0 - y, 1.5));
      y0.push_back(27.0 * x * std::pow(1.0 - x, 1.5));
    }
  }
  return {.functions = sparse(y0, f, J), .y0 = y0};
}

namespace {

// The reference is printed by tests/references/compute.py, whose two methods agree to 13.7 digits.
Problem bruss2d() {
  PlaneBrusselator plane = plane_brusselator(24);
  return {
      .name = "bruss2d",
      .title = "Brusselator with diffusion in the plane, 24 by 24 points",
      .source = "Hairer and Wanner II, IV.10",
      .functions = std::move(plane.functions),
      .t1 = 11.5,
      .y0 = std::move(plane.y0),
      .reference = {
          .values = {0.5331331381346728, 4.894163547504049, 0.5642846248656205, 4.914832011580183,
                     0.5549102938071183, 4.901446444503116, 0.5195067100263302, 4.87170875563377,
                     0.5078980285775343, 4.867005041929425, 0.5541971250563685, 4.893398927464362,
                     0.6305337120686926, 4.902199947897137, 0.6285546157127471, 4.8475089922868175,
                     0.5577481189953711, 4.756811085633527, 0.5538439079916949, 4.774060177057145,
                     0.708360796334483,  4.857708339240618, 1.058968107690063,  4.866178629431975,
                     0.7553611648308759, 4.771949473387882, 0.5794315685704858, 4.66493464045901,
                     0.588789946719131,  4.784520965266259, 0.7185343360269384, 4.874016710146406,
                     0.7621273461772934, 4.874220862895407, 0.6064652814638335, 4.838725324488416,
                     0.5306040059747276, 4.833301689457549, 0.542127007737455,  4.880343009205538},
          .components = every(29, 40),
          .digits = 13.7}};
}

// The boundary value jumps at 5. The reference: RADAU5 and DOP853 at 1e-12 agree to 10.5 digits.
Problem medakzo() {
  constexpr std::size_t N = 200;
  constexpr double h = 1.0 / N, k = 100.0;
  std::vector<double> drift(N), spread(N);
  for (std::size_t j = 0; j < N; ++j) {
    const double z = static_cast<double>(j + 1) * h - 1.0;
    drift[j] = 2.0 * z * z * z / 16.0 / (2.0 * h);
    spread[j] = z * z * z * z / 16.0 / (h * h);
  }
  const auto f = [drift, spread](double t, State y, Slope dydt) {
    for (std::size_t j = 0; j < N; ++j) {
      const std::size_t u = 2 * j, v = u + 1;
      const double left = j > 0 ? y[u - 2] : (t <= 5.0 ? 2.0 : 0.0);
      const double right = j + 1 < N ? y[u + 2] : y[u];
      const double reaction = k * y[u] * y[v];
      dydt[u] = drift[j] * (right - left) + spread[j] * (left - 2.0 * y[u] + right) - reaction;
      dydt[v] = -reaction;
    }
  };
  const auto J = [drift, spread](double, State y, auto set) {
    for (std::size_t j = 0; j < N; ++j) {
      const std::size_t u = 2 * j, v = u + 1;
      if (j > 0) set(u, u - 2, spread[j] - drift[j]);
      set(u, j + 1 < N ? u + 2 : u, spread[j] + drift[j]);
      set(u, u, -2.0 * spread[j] - k * y[v]);
      set(u, v, -k * y[u]);
      set(v, u, -k * y[v]);
      set(v, v, -k * y[u]);
    }
  };
  std::vector<double> y0(2 * N, 0.0);
  for (std::size_t j = 0; j < N; ++j) y0[2 * j + 1] = 1.0;
  return {.name = "medakzo",
          .title = "medical Akzo Nobel: antibodies enter tissue, 200 points",
          .source = "Mazzia and Magherini 2008, Test Set for IVP Solvers",
          .functions = sparse(y0, f, J),
          .t1 = 20.0,
          .y0 = y0,
          .reference = {.values = {5.1139838539044036e-06,  0.0,
                                   5.3368930733492855e-05,  0.0,
                                   0.0001052886198254283,   0.0,
                                   0.00015995233451508112,  1.1957021028972316e-298,
                                   0.00021565253300492382,  1.8305939844232787e-256,
                                   0.00026950401118912862,  1.1142159428699039e-214,
                                   0.00031691604885235064,  6.6128685342725194e-171,
                                   0.00035094126406244136,  3.5510065410509953e-127,
                                   0.00036162656994139365,  4.8077212708949665e-85,
                                   0.0003357837089126317,   6.2079772131173669e-47,
                                   0.00025828073871443164,  7.4249960360724959e-17,
                                   0.0001173741296146929,   0.15487473479146188,
                                   7.0481579799278755e-07,  0.99942293259431114,
                                   6.91254970751764e-11,    0.99999997627102699,
                                   8.7217823889688612e-16,  0.99999999999990619,
                                   7.4019192844497718e-22,  1.0,
                                   1.7395328246822568e-29,  1.0,
                                   3.4768605029148334e-39,  1.0,
                                   1.2470597011603026e-51,  1.0,
                                   9.6491635236183617e-68,  1.0,
                                   6.3445840676111993e-89,  1.0,
                                   6.6894657734146433e-118, 1.0,
                                   6.7271408796097589e-165},
                        .components = every(9, 45),
                        .digits = 10.5}};
}

}  // namespace

std::vector<Problem> lines_problems() { return {heat1d(), bruss1d(), bruss2d(), medakzo()}; }

}  // namespace daedalus::problems

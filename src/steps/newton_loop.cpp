#include "steps/newton_loop.hpp"

#include <limits>

#include "daedalus/integrate/coefficients.hpp"

namespace daedalus::steps {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double number(integrate::StepVerdict verdict) { return static_cast<double>(verdict); }

// As in ConvergenceTest.
Term decayed(Writer& writer, Term x) {
  const Term half = writer.keep(sqrt(x));
  const Term quarter = writer.keep(sqrt(half));
  return half * quarter * sqrt(sqrt(quarter));
}

// For an exponent that is a natural number up to 31: repeated squaring, with those powers that add
// up to the exponent.
Term power(Writer& writer, Term x, Term exponent) {
  std::vector<Term> squares = {x};
  for (int k = 0; k < 4; ++k) squares.push_back(writer.keep(squares.back() * squares.back()));
  Term result = writer.constant(1.0);
  Term left = exponent;
  for (int k = 4; k >= 0; --k) {
    const Term size = writer.constant(1 << k);
    const Term is_in = writer.keep(size <= left);
    result = writer.keep(choose(is_in, result * squares[static_cast<std::size_t>(k)], result));
    left = writer.keep(choose(is_in, left - size, left));
  }
  return result;
}

}  // namespace

integrate::NewtonPlaces NewtonLoop::make_places(Frame& frame) {
  integrate::NewtonPlaces places;
  for (std::size_t* place : {&places.accuracy, &places.most_iterations, &places.least_remaining,
                             &places.remaining, &places.verdict, &places.iterations,
                             &places.all_iterations, &places.rate, &places.step_factor}) {
    *place = frame.writer.make_places(1);
  }
  for (const std::size_t place : {places.remaining, places.verdict, places.iterations,
                                  places.all_iterations, places.rate, places.step_factor}) {
    frame.keep(place, 1);
  }
  return places;
}

NewtonLoop::NewtonLoop(Frame& frame, const integrate::NewtonPlaces& places, std::size_t iterations,
                       std::size_t rate, double expected)
    : frame_(frame), places_(places), iterations_(iterations), rate_(rate), expected_(expected) {
  for (Term* term : {&last_size_, &last_ratio_})
    *term = frame.writer.symbol(frame.writer.make_places(1));
  for (Term* term : {&is_bad_, &is_slow_}) *term = frame.writer.truth(frame.writer.make_places(1));
}

void NewtonLoop::begin() {
  Writer& writer = frame_.writer;
  const Term remaining = writer.symbol(places_.remaining);
  const auto set = [&](Term symbol, double value) {
    writer.assign(writer.arena().symbol_of(symbol.id()), writer.constant(value));
  };
  const Term trusted = writer.keep(max(remaining, writer.constant(epsilon)));
  writer.assign(places_.remaining,
                larger_of(decayed(writer, trusted), writer.symbol(places_.least_remaining)));
  writer.assign(iterations_, writer.constant(0.0));
  writer.assign(rate_, writer.constant(integrate::good_rate));
  writer.assign(places_.step_factor, writer.constant(0.5));
  set(last_size_, 0.0);
  set(last_ratio_, 0.0);
  set(is_bad_, 0.0);
  set(is_slow_, 0.0);
  writer.begin_repeat(expected_);
}

Term NewtonLoop::is_first() const {
  return frame_.writer.symbol(iterations_) <= frame_.writer.constant(0.0);
}

void NewtonLoop::end(Term size) {
  Writer& writer = frame_.writer;
  const auto assign = [&](Term symbol, Term value) {
    writer.assign(writer.arena().symbol_of(symbol.id()), value);
  };
  const Term most = writer.symbol(places_.most_iterations);
  const Term accuracy = writer.symbol(places_.accuracy);
  const Term rate = writer.symbol(rate_);
  const Term remaining = writer.symbol(places_.remaining);
  const Term one = writer.constant(1.0);
  const Term iteration = writer.keep(writer.symbol(iterations_) + 1.0);
  writer.assign(iterations_, iteration);
  const Term is_measured = writer.keep(iteration > one && iteration < most);

  writer.begin_if(is_measured, 0.5);
  const Term ratio = writer.keep(size / last_size_);
  const Term measured =
      writer.keep(choose(iteration <= writer.constant(2.0), ratio, sqrt(ratio * last_ratio_)));
  assign(last_ratio_, ratio);
  writer.assign(rate_, measured);
  assign(is_bad_, !(measured < writer.constant(0.99)));
  // An iteration that does not converge has no rate to remember.
  writer.assign(places_.remaining, choose(is_bad_, remaining, measured / (1.0 - measured)));
  writer.end();

  const Term error = writer.keep(remaining * size);
  const Term converged = writer.keep(error <= accuracy);
  writer.begin_if(is_measured && !converged && !is_bad_, 0.2);
  const Term left = writer.keep(most - one - iteration);
  const Term predicted = writer.keep(error * power(writer, rate, left) / accuracy);
  const Term slow = writer.keep(!(predicted < one));
  assign(is_slow_, slow);
  writer.begin_if(slow, 0.0);
  const Term bounded = max(min(predicted, writer.constant(20.0)), writer.constant(1e-4));
  writer.assign(places_.step_factor, 0.8 * pow(bounded, -1.0 / (left + 4.0)));
  writer.end();
  writer.end();

  assign(last_size_, max(size, writer.constant(epsilon)));
  const Term finite = writer.keep(size <= writer.constant(std::numeric_limits<double>::max()));
  const auto verdict = [&](integrate::StepVerdict value) { return writer.constant(number(value)); };
  using enum integrate::StepVerdict;
  writer.assign(
      places_.verdict,
      choose(!finite, verdict(NotFinite),
             choose(is_slow_, verdict(TooSlow),
                    choose(converged && !is_bad_, verdict(Converged), verdict(Diverged)))));
  writer.end_repeat(finite && !converged && !is_bad_ && !is_slow_ && iteration < most);
}

}  // namespace daedalus::steps

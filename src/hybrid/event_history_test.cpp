#include "hybrid/event_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace daedalus::hybrid {
namespace {

using Verdict = EventHistory::Verdict;

constexpr double far_away = std::numeric_limits<double>::infinity();
constexpr double resolution = 1e-15;

TEST(EventHistory, FindsTheLimitOfAGeometricSeries) {
  for (const double ratio : {0.1, 0.5, 0.9, 0.99}) {
    EventHistory history(1, 1e-6, 0.0);
    const double limit = 1.0 / (1.0 - ratio);
    double t = 0.0;
    Verdict verdict = Verdict::GoesOn;
    for (double interval = 1.0; verdict == Verdict::GoesOn && interval > 1e-12; interval *= ratio) {
      t += interval;
      verdict = history.note(t, 0, resolution, far_away);
    }
    EXPECT_EQ(verdict, Verdict::Accumulates) << ratio;
    EXPECT_NEAR(history.limit(), limit, 1e-8 * limit) << ratio;
    EXPECT_LE(limit - t, 1.01e-6 * limit) << ratio;
  }
}

TEST(EventHistory, DoesNotWaitWhereWhatIsLeftIsWithinTheErrorsOfTheSolution) {
  EventHistory history(1, 1e-10, 0.0, 1e-3);
  double t = 0.0, interval = 1.0;
  Verdict verdict = Verdict::GoesOn;
  for (; verdict == Verdict::GoesOn && interval > 1e-12; interval *= 0.5) {
    t += interval;
    verdict = history.note(t, 0, resolution, interval < 1e-4 ? 1e-3 : far_away);
  }
  EXPECT_EQ(verdict, Verdict::Accumulates);
  EXPECT_NEAR(history.limit(), 2.0, 1e-9);
  EXPECT_GT(2.0 - t, 1e-5);
}

TEST(EventHistory, SeesThatNothingOfNoteHappensBetweenEvents) {
  EventHistory history(1, 1e-10, 0.0, 1e-3);
  const double intervals[] = {1.0, 0.3, 0.7, 0.1, 0.6, 0.2, 0.9, 0.4};
  double t = 0.0;
  Verdict verdict = Verdict::GoesOn;
  for (const double interval : intervals) verdict = history.note(t += interval, 0, resolution, 0.5);
  EXPECT_EQ(verdict, Verdict::GoesOn);
  for (const double interval : intervals)
    verdict = history.note(t += interval, 0, resolution, 0.5e-3);
  EXPECT_EQ(verdict, Verdict::Unseen);
}

// A contact opens shortly after each time that it closes.
TEST(EventHistory, FindsTheLimitOfEventsInPairs) {
  EventHistory history(1, 1e-6, 0.0);
  double t = 0.0, interval = 1.0;
  Verdict verdict = Verdict::GoesOn;
  for (; verdict == Verdict::GoesOn && interval > 1e-12; interval *= 0.7) {
    t += interval;
    verdict = history.note(t, 0, resolution, far_away);
    if (verdict == Verdict::GoesOn)
      verdict = history.note(t + 1e-3 * interval, 0, resolution, far_away);
  }
  EXPECT_EQ(verdict, Verdict::Accumulates);
  EXPECT_NEAR(history.limit(), 1.0 / 0.3, 1e-5);
}

// Six intervals give five ratios.
TEST(EventHistory, JudgesByTheSeventhEventAndNoSooner) {
  EventHistory history(1, 0.1, 0.0);
  double t = 0.0, interval = 1.0;
  for (int event = 1; event <= 6; ++event, interval *= 0.1)
    EXPECT_EQ(history.note(t += interval, 0, resolution, far_away), Verdict::GoesOn) << event;
  EXPECT_EQ(history.note(t + interval, 0, resolution, far_away), Verdict::Accumulates);
}

// Again six intervals, from an event to the next but one; those from one to the next are unsteady.
TEST(EventHistory, JudgesPairsByTheThirteenthEventAndNoSooner) {
  EventHistory history(1, 0.1, 0.0);
  double t = 0.0, interval = 1.0;
  for (int event = 1; event <= 12; ++event) {
    EXPECT_EQ(history.note(t, 0, resolution, far_away), Verdict::GoesOn) << event;
    t += event % 2 == 1 ? 0.01 * interval : 0.99 * interval;
    if (event % 2 == 0) interval *= 0.1;
  }
  EXPECT_EQ(history.note(t, 0, resolution, far_away), Verdict::Accumulates);
}

TEST(EventHistory, LetsSequencesGoOnThatLeadSomewhere) {
  EventHistory steady(1, 1e-3, 0.0), slowing(1, 1e-3, 0.0), chirp(1, 1e-3, 0.0);
  for (int k = 1; k < 100'000; ++k) {
    ASSERT_EQ(steady.note(1e-6 * k, 0, 1e-16, far_away), Verdict::GoesOn);
    ASSERT_EQ(slowing.note(std::sqrt(k), 0, 1e-13, far_away), Verdict::GoesOn);
    ASSERT_EQ(chirp.note(std::log(k + 1.0), 0, 1e-14, far_away), Verdict::GoesOn);
  }
}

TEST(EventHistory, SeesThatTimeDoesNotMoveOn) {
  EventHistory history(1, 1e-6, 0.0);
  int events = 0;
  while (history.note(1.0 + events * 1e-15, 0, resolution, far_away) == Verdict::GoesOn) {
    ASSERT_LT(++events, 100);
  }
  EXPECT_GT(events, 30);
}

TEST(EventHistory, SeesThatAnIndicatorNeverLeavesZero) {
  EventHistory history(1, 1e-6, 0.0);
  int events = 0;
  while (history.note(1.0 + events * 1e-9, 0, resolution, 1.0) == Verdict::GoesOn) {
    ASSERT_LT(++events, 100);
  }
  EXPECT_GT(events, 30);
}

TEST(EventHistory, SeesManyIndicatorsThatTakeTurns) {
  EventHistory history(3, 1e-6, 0.0);
  int events = 0;
  while (history.note(1.0 + events * 1e-16, resolution) == Verdict::GoesOn) {
    ASSERT_LT(++events, 10'000);
  }
  EXPECT_GT(events, 1000);
}

}  // namespace
}  // namespace daedalus::hybrid

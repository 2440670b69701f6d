"""What a run tells about its events: file, JSON and summary.

Usage: events_test.py PROGRAM
"""

import csv
import json
import math

from support import CliTest, main

BALL = """model Ball
  parameter Real e = 0.8, g = 9.81;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e*pre(v));
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 2));
end Ball;
"""

SAMPLED = """model Sampled
  Real x(start = 0, fixed = true);
  discrete Real u(start = 0);
equation
  der(x) = u - x;
  when sample(0.5, 0.25) then
    u = 1 - x;
  end when;
end Sampled;
"""

PULSE = """model Pulse
  parameter Real T = 0.5, w = 0.25;
  Real x(start = 0, fixed = true);
  discrete Real begin(start = 0);
equation
  when sample(0, T) then
    begin = time;
  end when;
  der(x) = if time < begin + w then 1 else 0;
  annotation(experiment(StopTime = 0.9));
end Pulse;
"""


def bounces(stop, e=0.8, g=9.81):
    t, v, times = math.sqrt(2/g), math.sqrt(2*g), []
    while t < stop:
        times.append(t)
        v *= e
        t += 2*v/g
    return times


class Events(CliTest):
    def test_the_file_has_every_event_with_its_cause_its_place_and_what_it_changed(self):
        self.write("ball.mo", BALL)
        self.succeeds("simulate", "ball.mo", "--events", "log.csv")
        with open(self.folder / "log.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["kind"] for row in rows], ["state"]*3 + ["end"])
        for row, expected, count in zip(rows, bounces(2), range(3)):
            self.assertAlmostEqual(float(row["time"]), expected, delta=1e-10)
            self.assertEqual((row["cause"], row["place"]), ("h < 0", "ball.mo:8:8"))
            self.assertIn(f"n: {count} -> {count + 1}", row["changes"])
            self.assertIn("when h < 0", row["changes"])

    def test_json_counts_them_and_has_the_log(self):
        self.write("ball.mo", BALL)
        told = self.json_of("simulate", "ball.mo")
        self.assertEqual((told["events"], told["state_events"], told["time_events"]), (3, 3, 0))
        source = told["event_sources"][0]
        self.assertEqual((source["text"], source["line"], source["column"]), ("h < 0", 8, 8))
        self.assertEqual(len(told["event_log"]), 4)  # the end, too
        self.assertEqual(told["event_log"][0]["causes"], ["h < 0"])
        self.assertEqual(told["event_log_left_out"], 0)
        self.assertEqual(told["final"]["n"], 3)

    def test_time_events_are_told_with_the_clause_that_they_trigger(self):
        self.write("sampled.mo", SAMPLED)
        told = self.json_of("simulate", "sampled.mo")
        self.assertEqual((told["events"], told["time_events"]), (3, 3))
        self.assertEqual([record["time"] for record in told["event_log"]], [0.5, 0.75, 1.0, 1.0])
        self.assertEqual(told["event_log"][0]["changes"][0]["name"], "when sample(0.5, 0.25)")

    def test_time_events_are_told_with_what_makes_them_and_its_place(self):
        self.write("pulse.mo", PULSE)
        told = self.json_of("simulate", "pulse.mo", "--events", "events.csv")
        rows = list(csv.DictReader((self.folder / "events.csv").open()))
        self.assertEqual([(float(row["time"]), row["kind"], row["cause"]) for row in rows],
                         [(0.25, "time", "time < begin + w"), (0.5, "time", "sample(0, T); time < begin + w"),
                          (0.75, "time", "time < begin + w"), (0.9, "end", "")])
        self.assertEqual(rows[1]["place"], "pulse.mo:6:8; pulse.mo:9:3")
        self.assertEqual(told["event_log"][0]["causes"], ["time < begin + w"])

    def test_the_summary_says_which_relation_gave_how_many(self):
        self.write("ball.mo", BALL)
        said = self.succeeds("simulate", "ball.mo").stdout
        self.assertIn("events  3: 3 by states, 0 by time", said)
        self.assertIn("3 by `h < 0`", said)

    def test_both_sides_of_an_event_are_in_the_results(self):
        self.write("ball.mo", BALL)
        self.succeeds("simulate", "ball.mo", "--output", "r.csv", "--intervals", "4")
        header, rows = self.rows("r.csv")
        times = [row[0] for row in rows]
        first = next(i for i in range(len(times)) if times[i] == times[i + 1])
        before, after = dict(zip(header, rows[first])), dict(zip(header, rows[first + 1]))
        self.assertAlmostEqual(after["v"], -0.8*before["v"], delta=1e-9)
        self.assertEqual((before["n"], after["n"]), (0, 1))

    def test_a_log_that_is_no_table_is_refused(self):
        self.fails(2, "simulate", "decay.mo", "--events", "log.mat", says="must end in .csv")

    def test_stretches_along_surfaces_are_told(self):
        self.write("relay.mo", "model Relay Real x(start = 1, fixed = true); equation\n"
                               "der(x) = (if x > 0 then -1 else 1) + time / 4; end Relay;\n")
        told = self.json_of("simulate", "relay.mo", "--stop", "6", "--chattering", "sliding", "--events", "log.csv")
        self.assertEqual((told["chattering"], told["slidings"], told["rests"]), ("sliding", 1, 0))
        self.assertIn("`x > 0` slides along its surface from t = ", told["warnings"][0])
        kinds = [record["kind"] for record in told["event_log"] if "sliding" in record["kind"]]
        self.assertEqual(kinds, ["sliding begins", "sliding ends"])
        self.assertIn("sliding begins", (self.folder / "log.csv").read_text(encoding="utf-8"))

    def test_rests_are_told_with_their_limit(self):
        self.write("rest.mo", "model Rest Real h(start = 1, fixed = true), v(start = 0, fixed = true); equation\n"
                              "der(h) = v; der(v) = -9.81;\n"
                              "when h < 0 then reinit(v, -0.5 * pre(v)); end when; end Rest;\n")
        told = self.json_of("simulate", "rest.mo", "--stop", "3", "--zeno", "regularize")
        self.assertEqual((told["zeno"], told["slidings"], told["rests"]), ("regularize", 0, 1))
        begins = [record for record in told["event_log"] if record["kind"] == "rest begins"]
        self.assertAlmostEqual(begins[0]["limit"], 3 * (2 / 9.81) ** 0.5, 6)

    def test_real_time_does_not_know_events(self):
        self.write("ball.mo", BALL)
        self.fails(2, "simulate", "ball.mo", "--step", "0.01", "--real-time", says="[usage.real-time]")


class Places(CliTest):
    ALGORITHM = """model M
  Real x(start = 0, fixed = true), y, z;
equation
  der(x) = 1;
  z = 2*y;
algorithm
  y := 0;
  if x > 0.25 then
    y := 1;
  elseif x < -1 then
    y := 7;
  end if;
  y := y + (if x > 0.75 then
    1 else 2);
end M;
"""

    def test_events_of_algorithms_are_where_their_relations_are(self):
        self.write("m.mo", self.ALGORITHM)
        value = self.json_of("simulate", "m.mo")
        places = {source["text"]: source["line"] for source in value["event_sources"]}
        self.assertEqual((places["x > 0.25"], places["x < -1"], places["x > 0.75"]), (8, 10, 13))

    def test_an_alias_in_a_relation_changes_no_place(self):
        self.write("m.mo", self.ALGORITHM.replace("z = 2*y", "z = x").replace("x > 0.25", "z > 0.25"))
        value = self.json_of("simulate", "m.mo")
        self.assertIn(8, {source["line"] for source in value["event_sources"]})

    def test_no_name_of_ours_is_seen(self):
        self.write("m.mo", "model M\n  Real x(start = 1, fixed = true), y, z;\n  Boolean b;\n  Integer n(start = 0);\nequation\n  der(x) = -x;\n"
                           "  y = if x > 0.5 then sqrt(x - 0.9) else abs(x);\n  z = sign(x - 0.3) + y;\n  b = x > 0.2;\n"
                           "  when x < 0.95 or sample(0.05, 1) then\n    n = pre(n) + 1;\n  end when;\nend M;\n")
        texts = [self.succeeds("explain", "m.mo").stdout, json.dumps(self.json_of("explain", "m.mo")),
                 self.run_program("simulate", "m.mo").stderr, self.run_program("simulate", "m.mo", "--json").stdout]
        for text in texts:
            self.assertNotRegex(text, r"\$(switch|when|sample)")
        self.assertRegex(texts[2], r"in `y = if x > 0.5 then .*where .*x = 0\.89")
        self.assertIn("x > 0.5", texts[0])


if __name__ == "__main__":
    main()

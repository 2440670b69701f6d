"""daedalus linearize: table, JSON, files, exit codes.

Usage: linearize_test.py PROGRAM
"""

import json
import math

from support import CliTest, main

# lambda^2 + 2 lambda + 100 = 0
CIRCUIT = """model Circuit "a series circuit"
  parameter Real R = 1, L = 0.5, C = 0.02;
  input Real u(start = 3);
  Real i(start = 2, fixed = true), uR, uL;
  output Real v(start = 1, fixed = true), power = u * i;
equation
  u = uR + uL + v;
  uR = R * i;
  uL = L * der(i);
  C * der(v) = i;
end Circuit;
"""


class Linearize(CliTest):
    def setUp(self):
        super().setUp()
        self.write("circuit.mo", CIRCUIT)

    def test_json_has_matrices_with_their_names(self):
        value = self.json_of("linearize", "circuit.mo")
        self.assertEqual((value["status"], value["model"], value["time"]), ("finished", "Circuit", 0))
        self.assertEqual((value["states"], value["inputs"], value["outputs"]), (["i", "v"], ["u"], ["v", "power"]))
        self.assertEqual((value["A"], value["B"]), ([[-2, -2], [50, 0]], [[2], [0]]))
        self.assertEqual((value["C"], value["D"]), ([[0, 1], [3, 0]], [[0], [2]]))
        self.assertEqual((value["x0"], value["u0"], value["y0"], value["derivatives"]), ([2, 1], [3], [1, 6], [0, 100]))

    def test_eigenvalues_of_a_circuit(self):
        value = self.json_of("linearize", "circuit.mo", "--at", "0.5")
        first, second = value["eigenvalues"]
        for got, expected in ((first["real"], -1), (first["imag"], math.sqrt(99)), (second["imag"], -math.sqrt(99)),
                              (first["natural_frequency"], 10), (first["damping_ratio"], 0.1),
                              (first["time_constant"], 1)):
            self.assertAlmostEqual(got, expected, delta=1e-10)
        self.assertEqual([entry["state"] for entry in first["dominant"]], ["i", "v"])
        self.assertAlmostEqual(first["dominant"][0]["share"], 0.5, delta=1e-10)

    def test_parameters_inputs_and_the_integrator_can_be_set(self):
        value = self.json_of("linearize", "circuit.mo", "--set", "R=10", "--set", "u=7", "--at", "1", "--method", "dopri5",
                             "--rtol", "1e-9")
        self.assertEqual((value["A"][0][0], value["u0"], value["time"]), (-20, [7], 1))
        # The double eigenvalue -10: i = (2 - 8 t) e^(-10 t) from v = 1, i = 2.
        self.assertAlmostEqual(value["x0"][0], (2 - 8)*math.exp(-10), delta=1e-8)

    def test_the_table_can_be_read(self):
        out = self.succeeds("linearize", "circuit.mo", "--output", "c.json").stdout
        for words in ("Circuit: a series circuit", "linear at t = 0 s: 2 states, 1 input, 2 outputs", "wrote c.json",
                      "A = d der(x) / d x (2 x 2, 3 not 0)", "i 50 %, v 50 %"):
            self.assertIn(words, out)
        self.assertRegex(out, r"\n +-1 +9\.94987 +0\.1 +10 +1 +i 50 %, v 50 %\n")

    def test_the_file_is_what_is_printed(self):
        printed = self.succeeds("linearize", "circuit.mo", "--json", "--output", "c.json", "--output", "c.mat").stdout
        self.assertEqual((self.folder / "c.json").read_text(), printed)
        self.assertEqual(self.files(), ["c.json", "c.mat", "circuit.mo", "decay.mo"])

    def test_a_growing_mode_has_a_negative_time_constant_and_a_resting_one_none(self):
        self.write("two.mo", "model M Real x(start = 1), y(start = 1); equation der(x) = 4*x; der(y) = 1; end M;")
        growing, resting = self.json_of("linearize", "two.mo")["eigenvalues"]
        self.assertEqual((growing["real"], growing["damping_ratio"], growing["time_constant"]), (4, -1, -0.25))
        self.assertEqual(growing["dominant"], [{"state": "x", "share": 1}])
        self.assertEqual((resting["real"], resting["damping_ratio"], resting["time_constant"]), (0, None, None))

    def test_large_models_have_no_eigenvalues_and_say_so(self):
        states = "".join(f"Real x{i}(start = 1); " for i in range(2001))
        self.write("large.mo", f"model L {states}equation {''.join(f'der(x{i}) = -x{i}; ' for i in range(2001))}end L;")
        value = self.json_of("linearize", "large.mo")
        self.assertIsNone(value["eigenvalues"])
        self.assertEqual(value["why_no_eigenvalues"], "eigenvalues are computed for up to 2000 states, this has 2001")
        self.assertEqual(value["A"]["entries"][-1], [2000, 2000, -1])
        out = self.succeeds("linearize", "large.mo").stdout
        self.assertIn("no eigenvalues: eigenvalues are computed for up to 2000 states", out)
        self.assertIn("too large to be shown; --output writes it", out)

    def test_a_run_that_fails_before_the_point(self):
        self.write("blow.mo", "model B\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x^2;\nend B;\n")
        self.fails(1, "linearize", "blow.mo", "--at", "2", "--output", "b.json", says="[step-too-small]")
        value = self.json_of("linearize", "blow.mo", "--at", "2", code=1)
        self.assertEqual((value["status"], value["reason"]), ("failed", "step-too-small"))
        self.assertNotIn("b.json", self.files())

    def test_warnings_of_the_run_are_told(self):
        self.write("low.mo", "model L Real x(start = 1, fixed = true, min = 0); equation der(x) = -1; end L;")
        self.assertIn("warning: `x` = ", self.succeeds("linearize", "low.mo", "--at", "2").stderr)

    def test_a_point_without_derivatives(self):
        self.write("root.mo", "model R Real x(start = 0, fixed = true); equation der(x) = sqrt(x); end R;")
        self.fails(1, "linearize", "root.mo", says=("at t = 0, the Jacobian is not finite [domain]", "hint: linearise at"))

    def test_wrong_usage(self):
        self.fails(2, "linearize", "circuit.mo", "--at", "-1", says="the point at t = -1 lies before the start at 0")
        self.fails(2, "linearize", "circuit.mo", "--output", "c.csv", says="its name must end in .mat or .json")
        self.fails(2, "linearize", "circuit.mo", "--output", "c.mat", "--output", "c.mat", says="written twice")
        self.fails(2, "linearize", "circuit.mo", "--stop", "1", says="`linearize` has no option `--stop`")
        self.fails(2, "linearize", says="no model file given")
        self.assertEqual(json.loads(self.run_program("linearize", "none.mo", "--json").stdout)["status"], "failed")


if __name__ == "__main__":
    main()

"""daedalus explain --inline: the system of one integration step.

Usage: inline_test.py PROGRAM
"""

import pathlib

from support import CliTest, main

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
CIRCUIT = str(EXAMPLES / "rlc.mo")

# Treeaporn 2005, sections 2.4 and 3.4: stages, equations; and the smallest systems there are.
THESIS = {"radau3": (2, 24, [1]), "radau5": (3, 36, [2]), "lobatto4": (3, 36, [2]), "lobatto6": (4, 48, [3]),
          "hw-sdirk4": (5, 60, [1, 1, 1, 1, 1])}


class Inline(CliTest):
    def step_of(self, *arguments):
        return self.json_of("explain", *arguments)["step"]

    def test_sizes_of_the_thesis_circuit(self):
        for method, (stages, equations, systems) in THESIS.items():
            with self.subTest(method=method):
                step = self.step_of(CIRCUIT, "--inline", "--method", method)
                self.assertEqual(step["method"], method)
                self.assertEqual(step["stages"], stages)
                self.assertEqual(step["equations"], equations)
                self.assertEqual(step["newton_systems"], systems)
                self.assertEqual(step["iteration_variables"], sum(systems))

    def test_blocks_of_the_step(self):
        blocks = self.step_of(CIRCUIT, "--inline", "--method", "radau3")["blocks"]
        loops = [block for block in blocks if block["tearing_variables"]]
        self.assertEqual(len(loops), 1)
        self.assertEqual(loops[0]["size"], 12)
        self.assertTrue(loops[0]["linear"])
        self.assertTrue(loops[0]["constant_coefficients"])
        self.assertEqual(loops[0]["tearing"], "minimum")
        self.assertIn(loops[0]["tearing_variables"],
                      [[f"{name}[stage {i}]"] for name in ("i1", "i2", "u1", "uC") for i in (1, 2)])
        unknowns = {name for block in blocks for name in block["unknowns"]}
        self.assertEqual(len(unknowns), 22)  # u2 is uC
        self.assertLess({"iL[stage 1]", "der(iL)[stage 2]", "i0[stage 2]"}, unknowns)

    def test_a_diode_needs_one_variable_for_each_stage(self):
        step = self.step_of(str(EXAMPLES / "rectifier.mo"), "--inline", "--method", "radau5")
        self.assertEqual(step["newton_systems"], [3])  # of 21 equations, which could be left whole
        self.assertFalse(all(block["linear"] for block in step["blocks"]))

    def test_text(self):
        text = self.succeeds("explain", CIRCUIT, "--inline", "--method", "radau3").stdout
        for words in ("step of radau3\n", "equations                    24\n", "iteration variables          1\n",
                      "1 of size 1; all linear\n", "u0[stage 2] := ", "(time[begin] + h)"):
            self.assertIn(words, text)

    def test_the_documentation_shows_what_is_printed(self):
        text = (EXAMPLES.parent / "docs" / "inline-integration.md").read_text()
        printed = self.succeeds("explain", CIRCUIT, "--inline", "--method", "radau3").stdout
        self.assertIn("```\n" + printed[printed.index("step of radau3"):] + "```\n", text)
        for method, (stages, equations, systems) in THESIS.items():
            self.assertIn(f"| `{method}` | {stages} | {equations} | {', '.join(map(str, systems))} |", text)

    def test_the_default_method_has_one_formula(self):
        self.assertEqual(self.step_of("decay.mo", "--inline")["method"], "radau5")
        self.fails(2, "explain", "decay.mo", "--inline", "--method", "auto",
                   says=("`auto` takes the steps of other methods and cannot be inlined", "radau5"))

    def test_explicit_methods_need_no_system(self):
        step = self.step_of("decay.mo", "--inline", "--method", "dopri5")
        self.assertEqual(step["newton_systems"], [])
        self.assertEqual(step["iteration_variables"], 0)
        self.assertIn("none", self.succeeds("explain", "decay.mo", "--inline", "--method", "dopri5").stdout)

    def test_rosenbrock_methods_have_one_linear_system_for_each_stage(self):
        step = self.step_of(CIRCUIT, "--inline", "--method", "rodas4")
        self.assertEqual(step["newton_systems"], [2] * 6)
        self.assertTrue(all(block["linear"] for block in step["blocks"]))

    def test_no_step_without_asking(self):
        self.assertNotIn("step", self.json_of("explain", "decay.mo"))
        self.assertNotIn("inline", self.json_of("explain", "decay.mo")["phases_s"])
        self.assertIn("inline", self.json_of("explain", "decay.mo", "--inline")["phases_s"])

    def test_wrong_usage(self):
        self.assertIn("(default: radau5)", self.succeeds("explain", "--help").stdout)
        self.assertIn("radau5", self.succeeds("explain", "decay.mo", "--inline").stdout)
        self.fails(2, "explain", "decay.mo", "--method", "radau5",
                   says=("[usage.option]", "the method `radau5` plays no role without --inline", "add --inline"))
        self.fails(2, "explain", "decay.mo", "--inline", "--method", "radau55",
                   says=("[usage.unknown-method]", "did you mean `radau5`"))
        self.fails(2, "explain", "decay.mo", "--inline", "--method", "radau",
                   says=("[usage.method-unsuited]", "`radau5`, `radau9`, `radau13`"))
        self.fails(2, "check", "decay.mo", "--inline", says="`check` has no option `--inline`")


if __name__ == "__main__":
    main()

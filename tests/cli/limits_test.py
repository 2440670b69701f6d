"""Models that are odd, huge or deep: they work, or say the limit; never a crash, with 1 MiB of stack.

Usage: limits_test.py PROGRAM
"""

import os
import resource
import subprocess
import unittest

from support import DECAY, CliTest, PROGRAM, environment, is_sanitized, main

DEPTH = 100_000


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))


def model(equation, declarations=""):
    return f"model M\n  Real x(start = 0.5, fixed = true);\n{declarations}equation\n  {equation};\nend M;\n"


class Depth(CliTest):
    def works(self, text, command="check"):
        self.write("deep.mo", text)
        return self.succeeds(command, "deep.mo", preexec_fn=small_stack, timeout=30)

    def refuses(self, text, *says):
        self.write("deep.mo", text)
        return self.fails(1, "check", "deep.mo", says=says, preexec_fn=small_stack, timeout=30)

    def test_parentheses(self):
        self.works(model("der(x) = " + "("*DEPTH + "-x" + ")"*DEPTH))

    def test_signs_and_operators(self):
        self.works(model("der(x) = " + "-("*DEPTH + "x" + ")"*DEPTH))
        self.works(model("der(x) = " + "1 + ("*DEPTH + "x" + ")"*DEPTH))
        self.works(model("b = " + "not ("*DEPTH + "x > 1" + ")"*DEPTH + ";\n  der(x) = -x", "  Boolean b;\n"))

    def test_calls(self):
        self.works(model("der(x) = " + "sin("*DEPTH + "x" + ")"*DEPTH))
        self.works(model("der(x) = " + "max(1, "*DEPTH + "x" + ")"*DEPTH))

    def test_choices(self):
        self.works(model("der(x) = " + "if x > 1 then 2 else "*DEPTH + "x"))
        self.works(model("der(x) = if x > 1 then 2 " + "elseif x > 3 then 4 "*DEPTH + "else x"))
        self.works(model("der(x) = " + "if x > 1 then ("*DEPTH + "x" + ") else 3"*DEPTH))

    def test_nested_calls_can_be_run(self):
        self.works(model("der(x) = " + "sin("*2000 + "x" + ")"*2000), "simulate")
        self.works(model("der(x) = " + "("*DEPTH + "-x" + ")"*DEPTH), "simulate")

    def test_chains_of_relations_can_be_run(self):
        thresholds = [0.3 + 1e-5*i for i in range(50_000)]
        value = 1.0
        for threshold in thresholds:
            value = abs(value - threshold)
        chain = "abs("*len(thresholds) + "x" + "".join(f" - {threshold:.5f})" for threshold in thresholds)
        self.write("deep.mo", model(f"der(x) = -1e-3*({chain})").replace("0.5", "1", 1))
        final = self.json_of("simulate", "deep.mo", "--stop", "1", preexec_fn=small_stack, timeout=30)["final"]
        self.assertAlmostEqual(final["x"], 1 - 1e-3*value, delta=1e-6)
        # All links change at one instant, when x passes 0.5.
        links = 20_000
        chain = "(if "*links + "x" + " > 0.5 then 0 else 1)"*links
        self.write("deep.mo", model(f"der(x) = 1; der(z) = {chain}", "  Real z(start = 0, fixed = true);\n")
                   .replace("start = 0.5", "start = 0"))
        value = self.json_of("simulate", "deep.mo", "--stop", "1", preexec_fn=small_stack, timeout=30)
        self.assertAlmostEqual(value["final"]["z"], 0.5, delta=1e-9)
        self.assertEqual(value["events"], 1)

    def test_what_is_never_closed(self):
        self.refuses(model("der(x) = " + "("*DEPTH + "-x"), "expected `)`")
        self.refuses(model("der(x) = " + "sin("*DEPTH + "x"), "expected `)`")
        self.refuses(model("der(x) = " + "if x > 1 then "*DEPTH + "x"), "expected `else`")

    def test_arrays_classes_and_modifiers(self):
        self.refuses(model("der(x) = " + "{"*DEPTH + "x" + "}"*DEPTH), "more than 32 dimensions are not supported")
        self.refuses("".join(f"model M{i}\n" for i in range(DEPTH)), "classes inside of classes")
        self.refuses(model("der(x) = -x", "  Real z(a" + "(a"*DEPTH + ")"*DEPTH + ");\n"), "modifiers inside")

    def test_statements(self):
        self.refuses(model("if x > 1 then\n"*DEPTH + "x = 1;\n" + "end if;\n"*(DEPTH - 1) + "end if"),
                     "different numbers of equations: 1 and 0")
        self.works(model("if x > 1 then\n"*DEPTH + "der(x) = 1;\n" + "else der(x) = 2; end if;\n"*DEPTH))
        self.works(model("if x > 1 then der(x) = 1;\n" + "elseif x > 2 then der(x) = 3;\n"*DEPTH
                         + "else der(x) = 2; end if"))
        self.works(model("der(x) = y;\nalgorithm\n" + "if x > 1 then\n"*DEPTH + "y := 1;\n"
                         + "else y := 2; end if;\n"*DEPTH, "  Real y;\n"))
        self.works(model("der(x) = y;\nalgorithm\n" + "for i in 1:1 loop\n"*DEPTH + "y := 1;\n" + "end for;\n"*DEPTH,
                         "  Real y;\n"))
        self.refuses(model("if x > 1 then\n"*DEPTH + "der(x) = 1;\n" + "end for;\n"*DEPTH), "does not close `if`")


class Size(CliTest):
    def test_an_algorithm_of_100_000_assignments(self):
        self.write("chain.mo", "model M\n  Real x[100000], s;\nalgorithm\n  x[1] := sin(time);\n  s := 0;\n"
                   "  for i in 2:100000 loop\n    x[i] := 0.5*x[i - 1] + 1;\n"
                   "    if x[i] > 1 then s := s + x[i]; end if;\n  end for;\nend M;\n")
        self.succeeds("check", "chain.mo", preexec_fn=small_stack, timeout=30)

    def test_a_sum_of_200_000_terms(self):
        self.write("sum.mo", model("der(x) = " + " + ".join(f"{i}*x" for i in range(200_000))))
        self.succeeds("check", "sum.mo", preexec_fn=small_stack, timeout=30)
        self.write("sum.mo", model("der(x) = " + " + ".join(["x"]*200_000)))
        self.succeeds("check", "sum.mo", preexec_fn=small_stack, timeout=30)

    def test_a_loop_of_100_000_equations(self):
        self.write("line.mo", "model Line\n  parameter Integer n = 3;\n  Real v[n];\nequation\n  v[1] = 1;\n  v[n] = 0;\n"
                              "  for i in 2:n - 1 loop\n    der(v[i]) = v[i - 1] - 2*v[i] + v[i + 1];\n  end for;\n"
                              "end Line;\n")
        value = self.json_of("check", "line.mo", "--set", "n=100000", preexec_fn=small_stack, timeout=60)
        self.assertEqual((value["equations"], value["states"]), (100_000, 99_998))

    def test_loops_of_any_depth(self):
        loops = "  for i in 1:1 loop\n"*DEPTH + "    y = i;\n" + "  end for;\n"*DEPTH
        self.write("deep.mo", model(f"{loops}  der(x) = -x", "  Real y;\n"))
        self.succeeds("check", "deep.mo", preexec_fn=small_stack, timeout=30)

    def test_a_chain_of_20_000_aliases(self):
        n = 20_000
        names = "".join(f"  Real a{i};\n" for i in range(n))
        chain = "".join(f"  a{i} = {'-' if i % 2 else ''}a{i + 1};\n" for i in range(n - 1))
        self.write("chain.mo", model(f"der(x) = -a0;\n{chain}  a{n - 1} = x", names))
        value = self.json_of("simulate", "chain.mo", preexec_fn=small_stack, timeout=30)
        self.assertAlmostEqual(abs(value["final"]["a0"]), abs(value["final"]["x"]))

    def test_a_line_of_10_megabytes(self):
        self.write("long.mo", DECAY.replace("\n", " ") + " "*10_000_000 + "// end")
        self.succeeds("check", "long.mo")
        self.write("long.mo", DECAY.replace("y = 2*x;", "y = 2*x" + " "*10_000_000 + "+ zz;"))
        self.assertLess(len(self.fails(1, "check", "long.mo", says="unknown name `zz`").stderr), 1000)

    def test_the_limit_for_arrays_can_be_set(self):
        self.write("m.mo", "model M\n  Real x[200](each start = 1);\nequation\n  der(x) = -x;\nend M;\n")
        self.fails(1, "check", "m.mo", env=environment(DAEDALUS_MAX_ELEMENTS="100"),
                   says=["this has 200 elements; the limit is 100", "DAEDALUS_MAX_ELEMENTS raises the limit\n"])
        self.succeeds("check", "m.mo", env=environment(DAEDALUS_MAX_ELEMENTS="200"))
        self.write("m.mo", "model M\n  Real x[20000000];\nend M;\n")
        self.fails(1, "check", "m.mo", env=environment(DAEDALUS_MAX_ELEMENTS="1e9"),
                   says=["this has 20,000,000 elements; the limit is 10,000,000", "but what it says now is no number"])

    # Ten groups of 200 states; the Jacobian has 200 entries a row, but its expressions more than 4 million products.
    GROUPS = """model M
  parameter Integer g = 10, n = 200, m = 2200;
  Real x[g, n](each start = 1, each fixed = true), z[g, m];
equation
  for i in 1:g loop
    z[i, 1] = sum(x[i, :])/n;
    for k in 2:m loop
      z[i, k] = z[i, k - 1] + 1e-3*sin(z[i, k - 1]);
    end for;
    for j in 1:n loop
      der(x[i, j]) = -j*(x[i, j] - 0.1*z[i, m]);
    end for;
  end for;
end M;
"""

    def test_a_jacobian_of_too_many_products_keeps_its_pattern(self):
        self.write("groups.mo", self.GROUPS)
        run = self.json_of("simulate", "groups.mo", "--intervals", "2", "--variables", "z[1,1]", "--inline", "off",
                           timeout=120)
        self.assertEqual(run["status"], "finished")
        # 200 colours; without the pattern, one Jacobian alone would take 2000 evaluations.
        self.assertLess(run["f_evals"] - 201*run["jac_evals"], 1000)
        self.assertIn("Jacobian entries             400000", self.succeeds("explain", "groups.mo", timeout=60).stdout)

    @unittest.skipIf(is_sanitized(), "a sanitizer needs all addresses")
    def test_a_full_matrix_without_room_is_refused_before_it_is_made(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))

        self.write("full.mo", "model M\n  Real x[12000](each start = 1, each fixed = true), s = sum(x);\nequation\n"
                              "  der(x) = -s*x;\nend M;\n")
        options = ["--stop", "1e-9", "--intervals", "1", "--variables", "s"]
        self.fails(1, "simulate", "full.mo", *options, "--method", "radau5", preexec_fn=little_memory, timeout=120,
                   says=["the Jacobian of 12000 variables is a full matrix, which needs 2.3 GB with its factors",
                         "there are 1.61 GB", "[memory]", "dopri5"])
        self.succeeds("simulate", "full.mo", *options, preexec_fn=little_memory, timeout=120)

    def test_a_very_long_name(self):
        name = "a"*1_000_000
        self.write("long.mo", f"model M\n  Real {name}(start = 1);\nequation\n  der({name}) = -{name};\nend M;\n")
        self.succeeds("check", "long.mo")

    def test_a_very_long_argument(self):
        self.fails(2, "simulate", "decay.mo", "--set", "k=" + "1"*100_000, says="[usage.set]")
        self.fails(2, "simulate", "decay.mo", "--stop", "x"*100_000, says="--stop")

    def test_thousands_of_errors(self):
        self.write("many.mo", model("der(x) = " + " + ".join(f"u{i}" for i in range(20_000))))
        result = self.fails(1, "check", "many.mo", says="more errors")
        self.assertLess(len(result.stderr), 20_000)


class Shape(CliTest):
    def final(self, text, *arguments):
        self.write("m.mo", text)
        return self.json_of("simulate", "m.mo", *arguments)

    def test_no_states(self):
        value = self.final("model M\n  Real y;\nequation\n  y = 3*time;\nend M;\n", "--stop", "2", "--output", "a.csv")
        self.assertEqual((value["status"], value["final"]["y"], value["states"]), ("finished", 6.0, 0))
        self.assertEqual(len(self.rows("a.csv")[1]), 501)

    def test_only_parameters(self):
        value = self.final("model M\n  parameter Real p = 4;\n  constant Real c = 2;\nend M;\n", "--output", "a.csv")
        self.assertEqual((value["status"], value["final"]["p"]), ("finished", 4.0))
        self.assertEqual(len(self.rows("a.csv")[1]), 501)

    def test_nothing_at_all(self):
        for method in ("radau5", "dopri5"):
            value = self.final("model M\nend M;\n", "--method", method)
            self.assertEqual((value["status"], value["equations"]), ("finished", 0))
        self.succeeds("explain", "m.mo")
        self.succeeds("simulate", "m.mo", "--output", "a.csv", "--output", "a.mat", "--output", "a.json", "--report",
                      "a.html")

    def test_empty_sections_and_statements(self):
        self.assertEqual(self.final("model M\n  ;\n  Real x = 1;\nequation\n  ;\ninitial equation\nend M;\n")["status"],
                         "finished")

    def test_all_types(self):
        value = self.final("model M\n  Real x = time;\n  Integer n = if time < 0.5 then 1 else 2;\n"
                           "  Boolean b = time > 0.5;\nend M;\n")
        self.assertEqual((value["final"]["x"], value["final"]["n"], value["final"]["b"]), (1.0, 2, 1))


class Text(CliTest):
    def test_byte_order_mark_returns_tabs_and_other_alphabets(self):
        text = DECAY.replace("a decay", "Zerfall: größer als 0 – ✓").replace("  Real", "\tReal").replace("\n", "\r\n")
        self.write("dos.mo", b"\xef\xbb\xbf" + text.rstrip().encode())
        self.assertIn("größer als 0 – ✓", self.succeeds("simulate", "dos.mo").stdout)
        self.write("mac.mo", DECAY.replace("\n", "\r"))
        self.succeeds("check", "mac.mo")

    def test_places_are_right_behind_a_byte_order_mark_and_returns(self):
        self.write("dos.mo", b"\xef\xbb\xbf" + DECAY.replace("2*x", "2*z").replace("\n", "\r\n").encode())
        self.fails(1, "check", "dos.mo", says="dos.mo:11:9: error: unknown name `z`")

    def test_file_names_with_spaces_and_quotes(self):
        for name in ("a b.mo", "it's.mo", 'say "hi".mo', "größe ✓.mo", "-dash.mo", "new\nline.mo", "x"*250 + ".mo"):
            with self.subTest(name=name):
                self.write(name, DECAY)
                path = f"./{name}" if name.startswith("-") else name
                self.assertEqual(self.json_of("simulate", path)["model"], "Decay")
                self.succeeds("simulate", path, "--report", "r.html")

    def test_control_characters_of_a_model_do_not_reach_the_terminal(self):
        name = "'q\x1b[31m\u009b\u202e'"
        self.write("odd.mo", f'model Odd "\x1b]0;title\x07 and\nmore"\n  Real x(start = 1, fixed = true);\n  Real {name} = 2*x;\n'
                             f'  Boolean b;\nequation\n  der(x) = -x;\n  b = {name} > 1.8;\n'
                             f'  when {name} < 1.5 then\n    terminate("\x1b[2J\x07gone\nfake: error");\n  end when;\n'
                             f'  assert({name} > 1.7, "\x1b[5mlow", AssertionLevel.warning);\nend Odd;\n')
        self.write("wrong.mo", f"model W\n  Real x = {name};\nend W;\n")
        for arguments in (["simulate", "odd.mo", "--events", "e.csv"], ["explain", "odd.mo"], ["check", "wrong.mo"],
                          ["simulate", "odd.mo", "--set", "z\x1b[1m=1"], ["check", "\x1b[1m.mo"], ["si\x1bm"],
                          ["linearize", "odd.mo"], ["simulate", "odd.mo", "--variables", "\x1bx"]):
            with self.subTest(arguments=arguments):
                result = self.run_program(*arguments)
                said = result.stdout + result.stderr
                self.assertTrue(said)
                for character in "\x1b\x07\u009b\u202e\x7f":
                    self.assertNotIn(character, said)
                self.assertFalse([line for line in said.split("\n") if line.startswith("fake")])
        text = (self.folder / "e.csv").read_text()
        self.assertIn("\\x1b[31m\\x9b\\u202e", text)
        self.assertNotIn("\x1b", text)

    def test_a_model_from_a_pipe(self):
        result = subprocess.run([PROGRAM, "check", "/dev/stdin"], input=DECAY, capture_output=True, text=True, timeout=20)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        result = subprocess.run([PROGRAM, "check", "/dev/stdin"], input=DECAY.replace("2*x", "2*z"),
                                capture_output=True, text=True, timeout=20)
        self.assertEqual(result.returncode, 1)
        self.assertIn("/dev/stdin:11:9: error", result.stderr)

    def test_files_that_cannot_be_read(self):
        (self.folder / "folder.mo").mkdir()
        self.fails(1, "check", "missing.mo", says=["cannot read `missing.mo`", "No such file", "[io]"])
        self.fails(1, "check", "folder.mo", says=["`folder.mo`: it is a folder"])
        self.fails(1, "check", "decay.mo/x.mo", says=["cannot read"])
        self.fails(1, "check", "x"*5000, says=["cannot read"])


@unittest.skipIf(is_sanitized(), "a sanitizer needs all addresses")
class Memory(CliTest):
    def test_too_little_of_it_is_said(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

        self.write("big.mo", "")
        os.truncate(self.folder / "big.mo", 900_000_000)  # takes no space on disk
        self.fails(1, "check", "big.mo", preexec_fn=little_memory, says="out of memory [memory]")

    def run_with(self, kilobytes, *arguments):
        """Exit code and what was said, with so much memory."""
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))

        result = self.run_program(*arguments, preexec_fn=little_memory, timeout=60)
        return result.returncode, result.stderr

    def test_wherever_it_runs_out_that_is_said(self):
        too_little, enough = 10_000, 2_000_000
        while enough - too_little > 50:  # the memory that loading the program takes
            middle = (too_little + enough)//2
            if self.run_with(middle, "check", "decay.mo")[0] == 127:
                too_little = middle
            else:
                enough = middle
        self.write("balls.mo", "model M\n  Real h[9](each start = 1, each fixed = true), v[9](each start = 0);\n"
                               "equation\n  der(h) = v;\n  for i in 1:9 loop\n    der(v[i]) = -9.81*sin(h[i]) - v[i];\n"
                               "    when h[i] < 0.5 then reinit(v[i], -0.5*pre(v[i])); end when;\n  end for;\nend M;\n")
        codes = set()
        for more in range(0, 6000, 130):
            for command in (["check", "decay.mo"], ["simulate", "balls.mo", "--inline", "--no-cache"]):
                code, said = self.run_with(enough + more, *command)
                self.assertIn(code, (0, 1), f"{enough + more} kB: {said}")
                if code == 1:
                    self.assertIn("out of memory [memory]", said)
                codes.add(code)
        self.assertIn(1, codes)


if __name__ == "__main__":
    main()

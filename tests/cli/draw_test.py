"""daedalus explain --draw: the incidence matrix as written and as sorted.

UPDATE_GOLDEN=1 rewrites draw_small.svg; look at the picture before you commit it.
Usage: draw_test.py PROGRAM
"""

import os
import pathlib
import re
import xml.etree.ElementTree

from support import CliTest, main

GOLDEN = pathlib.Path(__file__).with_name("draw_small.svg")

# A loop of three equations, torn, between equations that it needs and that need it, not in the order of evaluation.
SMALL = """model Small "a loop"
  Real x(start = 1), a, b, c;
  Real before, same = before;
equation
  der(x) = a - x;
  a*c + exp(a) = b;
  b - 2*c = x;
  c + exp(c) = a + before;
  before = sin(time);
end Small;
"""


def ladder(steps):
    """A loop of so many equations and as many states, none of which waits for its turn."""
    middle = range(1, steps - 1)
    names = "".join(f"  Real u{i}, x{i}(start = 1);\n" for i in range(steps))
    states = "".join(f"  der(x{i}) = u{(i*7) % steps} - x{i};\n" for i in reversed(range(steps)))
    chain = "".join(f"  2*u{i} - u{i - 1} - u{i + 1} = 0;\n" for i in middle)
    return (f"model Ladder\n{names}equation\n{states}  2*u0 - u1 = time;\n{chain}"
            f"  2*u{steps - 1} - u{steps - 2} = 0;\nend Ladder;\n")


class Draw(CliTest):
    def draw(self, text):
        self.write("m.mo", text)
        self.assertIn("wrote m.svg", self.succeeds("explain", "m.mo", "--draw", "m.svg").stdout)
        drawing = (self.folder / "m.svg").read_text()
        xml.etree.ElementTree.fromstring(drawing)
        return drawing

    def test_a_small_model_is_drawn_as_the_golden_picture(self):
        drawing = self.draw(SMALL)
        if os.environ.get("UPDATE_GOLDEN"):
            GOLDEN.write_text(drawing)
        self.assertEqual(GOLDEN.read_text(), drawing)

    def test_nothing_stands_above_the_blocks(self):
        """In the sorted panel a cell right of the diagonal lies in a block."""
        sorted_panel = self.draw(ladder(40)).split("Sorted into blocks")[1]
        blocks = [(int(at), int(at) + int(size)) for at, size in
                  re.findall(r'<rect class="k" x="(\d+)" y="\d+" width="(\d+)"', sorted_panel)]
        cells = [(int(row), int(column)) for column, row in
                 re.findall(r'<rect class="c \w" x="(\d+)\.05" y="(\d+)\.05"', sorted_panel)]
        self.assertEqual(max(end - begin for begin, end in blocks), 40)
        self.assertEqual(len(cells), 2*40 + 2*2 + 3*38)
        for row, column in cells:
            if column > row:
                self.assertTrue(any(begin <= row and column < end for begin, end in blocks), (row, column))

    def test_large_models_are_shaded_in_a_small_file(self):
        drawing = self.draw(ladder(5000))
        self.assertIn("each shade stands for k x k = 25 x 25 places", drawing)
        self.assertLess(len(drawing), 1_000_000)
        self.assertNotIn("<title>", drawing)

    def test_a_model_without_equations_has_an_empty_picture(self):
        self.assertIn("0 equations", self.draw("model M parameter Real p = 1; end M;"))

    def test_json_names_the_drawing(self):
        self.assertEqual(self.json_of("explain", "decay.mo", "--draw", "d.svg")["drawing"], "d.svg")
        self.assertNotIn("drawing", self.json_of("explain", "decay.mo"))

    def test_wrong_usage(self):
        self.fails(2, "explain", "decay.mo", "--draw", "d.png", says=("[usage.output]", "its name must end in .svg"))
        self.fails(1, "explain", "decay.mo", "--draw", "none/d.svg", says="[io]")
        self.fails(2, "check", "decay.mo", "--draw", "d.svg", says="`check` has no option `--draw`")
        self.assertEqual(self.files(), ["decay.mo"])


if __name__ == "__main__":
    main()

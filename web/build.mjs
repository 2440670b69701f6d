// Makes the report's page from the files beside this one: bundles script and style into one HTML file whose
// content-security policy allows exactly these two, and writes it as a C++ source.
//
//   node build.mjs FOLDER_OF_NODE_MODULES PAGE.cpp
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [packages, output] = process.argv.slice(2);
const source = dirname(fileURLToPath(import.meta.url));
const { buildSync } = createRequire(join(resolve(packages), "package.json"))("esbuild");

// uPlot's licence asks to stand in every copy of it.
const licence = readFileSync(join(resolve(packages), "node_modules/uplot/LICENSE"), "utf8").trim();

function bundle(entry, banner = "") {
  const result = buildSync({
    entryPoints: [join(source, entry)],
    nodePaths: [join(resolve(packages), "node_modules")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    banner: { js: banner },
    write: false,
  });
  return result.outputFiles[0].text.trim();
}

function hash(text) {
  return "sha256-" + createHash("sha256").update(text, "utf8").digest("base64");
}

// Puts a text where its mark stands, which must be exactly one place.
function put(page, mark, text) {
  const parts = page.split(mark);
  if (parts.length !== 2) throw new Error(`${mark} stands ${parts.length - 1} times in the page`);
  return parts.join(text);
}

const style = bundle("style.css");
const script = bundle("main.js", `/* uPlot: ${licence} */`);
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
  throw new Error("an asset would end its element");

let page = readFileSync(join(source, "index.html"), "utf8");
page = put(page, "@STYLE_HASH@", hash(style));
page = put(page, "@SCRIPT_HASH@", hash(script));
page = put(page, "@STYLE@", style);
page = put(page, "@SCRIPT@", script);
for (const mark of ["@TITLE@", "@DATA@"]) put(page, mark, "");

const bytes = [...Buffer.from(page, "utf8")];
const lines = [];
for (let i = 0; i < bytes.length; i += 32) lines.push(bytes.slice(i, i + 32).join(",") + ",");
writeFileSync(
  output,
  `// Made by web/build.mjs from the files beside it.
#include "report/page.hpp"

namespace daedalus::report {
namespace {

const unsigned char bytes[] = {
${lines.join("\n")}
};

}  // namespace

std::string_view page_template() { return {reinterpret_cast<const char*>(bytes), sizeof bytes}; }

}  // namespace daedalus::report
`,
);

// The report's page in a real browser, opened from a file: curves, legend, zoom, no request, no injection.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const { SAMPLES, PACKAGES, BROWSER } = process.env;
const { chromium } = createRequire(join(PACKAGES, "package.json"))("playwright-core");
const flags =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

let browser;
before(async () => (browser = await chromium.launch({ executablePath: BROWSER, args: flags.split(" ") })));
after(() => browser.close());

// Opens a sample and records everything that a quiet, offline page must not do.
async function open(name, { scheme = "light", width = 1360 } = {}) {
  const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
  const complaints = [];
  page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => (complaints.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  const own = pathToFileURL(join(SAMPLES, `${name}.html`)).href;
  page.on("request", (request) => request.url() !== own && complaints.push(`request: ${request.url()}`));
  await page.goto(own);
  await page.waitForSelector("#header h1");
  await settle(page);
  return { page, complaints };
}

function settle(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function close({ page, complaints }, picture) {
  if (picture) await page.screenshot({ path: join(SAMPLES, `${picture}.png`), fullPage: true });
  await page.close();
  assert.deepEqual(complaints, []);
}

// How many pixels of a plot's canvas have each legend marker's colour, give or take a little.
function pixels(page, plot) {
  return page.evaluate((name) => {
    const card = document.querySelector(`[data-plot="${name}"]`);
    const { width, height } = card.querySelector("canvas");
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(card.querySelector("canvas"), 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const markers = [...card.querySelectorAll(".u-series")].slice(1);
    return markers.map((marker) => {
      const colour = getComputedStyle(marker.querySelector(".u-marker"))
        .backgroundColor.match(/\d+/g)
        .map(Number);
      let found = 0;
      for (let i = 0; i < data.length; i += 4) {
        const near = (part) => Math.abs(data[i + part] - colour[part]) <= 12;
        if (data[i + 3] > 200 && near(0) && near(1) && near(2)) ++found;
      }
      return found;
    });
  }, plot);
}

function ranges(page) {
  return page.$$eval(".plot", (cards) =>
    cards.map((card) => [Number(card.dataset.from), Number(card.dataset.to)]),
  );
}

async function drag(page, plot, from, to) {
  const area = page.locator(`[data-plot="${plot}"] .u-over`);
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + from * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * (from + to) * box.width, y, { steps: 4 });
  await page.mouse.move(box.x + to * box.width, y, { steps: 4 });
  await page.mouse.up();
  await settle(page);
}

for (const scheme of ["light", "dark"]) {
  test(`draws every chosen curve in ${scheme}`, async () => {
    const opened = await open("typical", { scheme });
    for (const [plot, curves] of [
      ["m", 6],
      ["m/s", 6],
      ["Boolean", 1],
      ["step size", 1],
      ["error", 1],
    ]) {
      const found = await pixels(opened.page, plot);
      assert.equal(found.length, curves, plot);
      for (const count of found) assert.ok(count > 100, `${plot}: ${found}`);
    }
    await close(opened, `typical-${scheme}`);
  });
}

test("shows end state, tables, warnings and the command", async () => {
  const opened = await open("typical");
  const text = await opened.page.innerText("body");
  for (const part of [
    "Chain",
    "Finished at t = 20 s",
    "models/Chain.mo",
    "Newton's iteration failed",
    "9\u202f876",
    "compile",
    "87.4 ms",
    "largest torn block",
    "spring.minus_c",
    "-0.3333333333333333",
    "1 warning",
    "[model.no-start]",
    "--set 'spring.c=0.3'",
  ]) {
    assert.ok(text.includes(part), part);
  }
  assert.equal(await opened.page.title(), "Chain");
  await close(opened);
});

test("ranks what made the run so much work", async () => {
  const opened = await open("typical");
  const rows = (selector) =>
    opened.page
      .locator(`${selector} tbody tr`)
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("th, td:not(.share)")].map((cell) => cell.innerText)),
      );
  assert.deepEqual((await rows("#limiting"))[0], ["<script>alert(1)</script>", "67 %", "38"]);
  const causes = await rows("#causes");
  assert.deepEqual(causes[0], ["the error was too large", "60"]);
  assert.deepEqual(causes[2], ["Newton's iteration was slow", "33"]);
  assert.deepEqual(causes[5], ["the step size changed", "130"]);
  const slices = await rows("#over-time");
  assert.ok(slices.length <= 10, `${slices.length} slices`);
  const steps = slices.reduce((sum, [, taken]) => sum + Number(taken), 0);
  assert.equal(steps, JSON.parse(await opened.page.innerText("#data")).statistics.steps);
  assert.equal(slices.at(-1)[0], "20 s");
  const ends = slices.map(([end]) => end);
  assert.equal(new Set(ends).size, ends.length, "two ends look the same");
  const words = await opened.page.innerText("#effort .finding");
  assert.match(words, /has the largest error in 67 % of the attempts/);
  assert.match(words, /34 % of the attempts were rejected, most because the error was too large/);
  await close(opened);
});

test("draws the structure in the page's colours, with what each mark means", async () => {
  for (const scheme of ["light", "dark"]) {
    const opened = await open("typical", { scheme });
    const drawing = opened.page.locator("#structure svg");
    assert.equal(await drawing.isVisible(), true);
    const told = await drawing.locator("title").allTextContents();
    assert.ok(told.some((text) => text.includes("<b>x</b>")), told.join());
    const { fill, background } = await drawing.evaluate((svg) => ({
      fill: getComputedStyle(svg.querySelector("rect.p")).fill,
      background: getComputedStyle(svg.closest("section")).backgroundColor,
    }));
    assert.equal(fill, scheme === "light" ? "rgb(31, 78, 121)" : "rgb(156, 199, 242)");
    assert.notEqual(fill, background);
    await close(opened);
  }
  const failed = await open("failed");
  assert.equal(await failed.page.locator("#structure").isVisible(), false);
  await close(failed);
});

test("draws its bars as long as their shares", async () => {
  const opened = await open("typical");
  const widths = await opened.page
    .locator("#limiting .share-bar")
    .evaluateAll((bars) => bars.map((bar) => bar.offsetWidth / bar.parentElement.offsetWidth));
  assert.ok(Math.abs(widths[0] - 0.67) < 0.02, widths);
  const places = await opened.page
    .locator("#over-time .share-bar")
    .evaluateAll((bars) => bars.map((bar) => bar.offsetLeft - bar.parentElement.offsetLeft));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  await close(opened);
});

test("says how many states it leaves out, and nothing of a run without steps", async () => {
  const many = await open("many_limits");
  assert.equal(await many.page.locator("#limiting tbody tr").count(), 12);
  assert.match(await many.page.innerText("#limiting"), /and 488 more states/);
  await close(many);
  const failed = await open("failed");
  assert.equal(await failed.page.locator("#effort").isVisible(), false);
  await close(failed);
});

test("takes names for text, never for markup", async () => {
  const opened = await open("typical");
  const legend = await opened.page.locator('[data-plot="m"] .u-label').allInnerTexts();
  assert.ok(legend.includes("<script>alert(1)</script>"), legend);
  assert.equal(await opened.page.locator("script").count(), 2);
  assert.equal(await opened.page.locator("b:text('not bold')").count(), 0);
  const injected = await opened.page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.injected = true";
    document.body.append(script);
    return window.injected === true;
  });
  assert.equal(injected, false, "the policy lets a foreign script run");
  assert.ok(
    opened.complaints.some((line) => line.includes("Content Security Policy")),
    opened.complaints,
  );
  opened.complaints.length = 0;
  await close(opened);
});

test("hides a curve by its legend and brings it back", async () => {
  const opened = await open("typical");
  const label = opened.page.locator('[data-plot="m"] .u-series th').nth(1);
  const [before_click, other] = await pixels(opened.page, "m");
  await label.click();
  await opened.page.mouse.move(5, 5);
  await settle(opened.page);
  const [hidden, still] = await pixels(opened.page, "m");
  assert.ok(hidden < before_click / 10, `${before_click} -> ${hidden}`);
  assert.ok(still > other / 2, `${other} -> ${still}`);
  await label.click();
  await opened.page.mouse.move(5, 5);
  await settle(opened.page);
  assert.ok((await pixels(opened.page, "m"))[0] > before_click / 2);
  await close(opened);
});

test("zooms all plots together and resets them", async () => {
  const opened = await open("typical");
  const whole = await ranges(opened.page);
  assert.equal(whole.length, 5);
  for (const range of whole) assert.deepEqual(range, [0, 20]);

  await drag(opened.page, "m", 0.25, 0.5);
  const zoomed = await ranges(opened.page);
  for (const [from, to] of zoomed) {
    assert.ok(Math.abs(from - 5) < 0.2 && Math.abs(to - 10) < 0.2, `${from} ... ${to}`);
    assert.deepEqual([from, to], zoomed[0]);
  }
  assert.match(await opened.page.innerText("#range"), /^t = /);
  await opened.page.screenshot({ path: join(SAMPLES, "zoomed.png"), fullPage: true });

  await opened.page.locator('[data-plot="m/s"] .u-over').dblclick();
  await settle(opened.page);
  for (const range of await ranges(opened.page)) assert.deepEqual(range, [0, 20]);
  await close(opened);
});

test("reads out values under the pointer in every plot", async () => {
  const opened = await open("typical");
  const area = opened.page.locator('[data-plot="m"] .u-over');
  const box = await area.boundingBox();
  await opened.page.mouse.move(box.x + box.width / 2, box.y + 20);
  await settle(opened.page);
  for (const plot of ["m", "m/s", "Boolean"]) {
    const shown = await opened.page.locator(`[data-plot="${plot}"] .u-value`).allInnerTexts();
    assert.match(shown[0], /^(9\.9|10)/, `${plot}: ${shown}`);
    for (const value of shown.slice(1)) assert.match(value, /\d|true|false/, `${plot}: ${shown}`);
  }
  await close(opened);
});

test("has a logarithmic time axis that leaves out the start at zero", async () => {
  const opened = await open("typical");
  await opened.page.click("#log-time");
  await settle(opened.page);
  for (const [from, to] of await ranges(opened.page)) assert.deepEqual([from, to], [0.04, 20]);
  for (const count of await pixels(opened.page, "m")) assert.ok(count > 100);
  await close(opened, "log-time");
});

test("finds, adds and removes one of 500 variables", async () => {
  const opened = await open("many");
  const { page } = opened;
  assert.equal((await pixels(page, "m")).length, 6);
  await page.fill("#chooser input[type=search]", "mass[217].s");
  const box = page.locator("#chooser .choice input");
  assert.equal(await box.count(), 1);
  await box.check();
  await settle(page);
  assert.equal((await pixels(page, "m")).length, 7);
  assert.ok((await page.locator('[data-plot="m"] .u-label').allInnerTexts()).includes("mass[217].s"));
  await box.uncheck();
  assert.equal((await pixels(page, "m")).length, 6);
  await page.click("#chooser button:text('None')");
  assert.equal(await page.locator('[data-plot="m"]').count(), 0);
  await page.click("#chooser button:text('Defaults')");
  await page.fill("#chooser input[type=search]", "");
  assert.equal((await pixels(page, "m")).length, 6);
  await close(opened, "many");
});

test("needs no chooser for one variable", async () => {
  const opened = await open("one");
  assert.equal(await opened.page.locator("#chooser").isVisible(), false);
  assert.ok((await pixels(opened.page, "m"))[0] > 100);
  await close(opened, "one");
});

test("says how a long run was thinned", async () => {
  const opened = await open("long");
  assert.match(
    await opened.page.innerText("#trajectories"),
    /Drawn from \d+\u202f\d+ of 400\u202f000 stored points/,
  );
  for (const count of await pixels(opened.page, "m")) assert.ok(count > 100);
  await close(opened);
});

test("shows derivatives only to those who ask for them", async () => {
  const opened = await open("pulse");
  assert.equal(await opened.page.locator('[data-plot="m/s"]').count(), 0);
  await opened.page.fill("#chooser input[type=search]", "der(u)");
  await opened.page.locator("#chooser .choice input").check();
  await settle(opened.page);
  assert.ok((await pixels(opened.page, "m/s"))[0] > 100);
  await close(opened);
});

test("draws a fast pulse where it was, however far it is zoomed", async () => {
  const opened = await open("pulse");
  const { page } = opened;
  for (let i = 0; i < 6; ++i) {
    // Ten times nearer each time, with the events in the middle.
    const [[from, to]] = await ranges(page);
    const middle = (10.000001 - from) / (to - from);
    await drag(page, "m", Math.max(middle - 0.05, 0), Math.min(middle + 0.05, 1));
  }
  const [[from, to]] = await ranges(page);
  assert.ok(to - from < 1e-4, `${to - from}`);
  const area = page.locator('[data-plot="m"] .u-over');
  const box = await area.boundingBox();
  const value_at = async (t) => {
    await page.mouse.move(box.x + ((t - from) / (to - from)) * box.width, box.y + 20);
    await settle(page);
    return page.locator('[data-plot="m"] .u-value').allInnerTexts();
  };
  assert.match((await value_at(10.0000015))[0], /^10\.000002/);
  assert.match((await value_at(10.0000005))[0], /^10 /);
  const found = (await pixels(page, "m"))[0];
  assert.ok(found > 300, `${found} pixels of a pulse that fills the height`);
  await close(opened, "pulse");
});

test("scales the axis of the step sizes without those that events cut short", async () => {
  const opened = await open("pulse");
  const ticks = await opened.page.evaluate(() => {
    const { history } = JSON.parse(document.getElementById("data").textContent);
    return history;
  });
  assert.ok(ticks.least > 0.05 && ticks.at_events >= 2, JSON.stringify([ticks.least, ticks.at_events]));
  const caption = await opened.page.innerText('[data-plot="step size"] figcaption');
  assert.match(caption, /10 accepted steps, 3 of them cut short at events/);
  const least = await opened.page.locator('[data-plot="step size"] .uplot').getAttribute("data-least");
  assert.equal(Number(least), 0.01);
  await close(opened, "steps");
});

test("shows an array of many elements as a map and a profile", async () => {
  const opened = await open("field");
  const { page } = opened;
  assert.match(await page.innerText("#arrays figcaption"), /rod\.T\[·\] \[K\] · 60 elements over time and index/);
  const legend = await page.locator('[data-plot="K"] .u-label').allInnerTexts();
  assert.deepEqual(legend.slice(1, 4), ["rod.T[1]", "rod.T[13]", "rod.T[25]"]);
  assert.ok(legend.includes("mean"), legend.join());

  // The peak is at element 3 t, in the map and in the profile.
  const canvas = page.locator("#arrays canvas.map");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const x = box.x + 82 + 0.5 * (box.width - 82 - 92);
  await page.mouse.click(x, box.y + 60);
  await settle(page);
  assert.match(await page.innerText("#arrays output"), /^t = (9\.9|10)/);
  const profile = async () =>
    JSON.parse(await page.locator('[data-plot="profile"]').getAttribute("data-values"));
  const values = await profile();
  assert.equal(values.indexOf(Math.max(...values)) + 1, 30);
  const brightest = await canvas.evaluate((map) => {
    const pen = new OffscreenCanvas(map.width, map.height).getContext("2d", { willReadFrequently: true });
    pen.drawImage(map, 0, 0);
    const at = Math.round((82 + 0.25 * (map.clientWidth - 82 - 92)) * devicePixelRatio);
    const { data } = pen.getImageData(at, 0, 1, map.height);
    let best = 0;
    for (let y = 0; y < map.height; ++y) if (data[4 * y] > data[4 * best]) best = y;
    return best / map.height;
  });
  const expected = (10 + (1 - 14.5 / 60) * 200) / 250;
  assert.ok(Math.abs(brightest - expected) < 0.05, `${brightest}, not ${expected}`);

  await page.locator("#arrays input[type=range]").fill("0");
  const first = await profile();
  assert.equal(first.indexOf(Math.max(...first)), 0);
  await close(opened, "field");
});

test("shows a matrix as a map at a chosen time, and no map where there is no array", async () => {
  const opened = await open("field");
  await opened.page.locator("#arrays select").selectOption({ label: "plate[·,·]" });
  await settle(opened.page);
  assert.match(await opened.page.innerText("#arrays figcaption"), /20 elements at t = 20 s/);
  assert.equal(await opened.page.locator('[data-plot="profile"]').isVisible(), false);
  const corners = await opened.page.locator("#arrays canvas.map").evaluate((map) => {
    const pen = new OffscreenCanvas(map.width, map.height).getContext("2d", { willReadFrequently: true });
    pen.drawImage(map, 0, 0);
    const colour = (x, y) => [...pen.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data];
    return [colour(90, 15), colour(map.clientWidth - 92 - 8, 205)];
  });
  assert.deepEqual(corners, [
    [68, 1, 84, 255],
    [253, 231, 37, 255],
  ]);
  await close(opened, "matrix");
  const without = await open("typical");
  assert.equal(await without.page.locator("#arrays").isVisible(), false);
  await close(without);
});

test("shades the difference from a second run", async () => {
  const opened = await open("verified");
  const { page } = opened;
  const caption = await page.innerText('[data-plot="m"] figcaption');
  assert.match(caption, /shaded: difference from rodas5p at rtol = 1e-08/);
  // Pixels of a quarter of the curve's colour on white, in the left and in the right half.
  const shaded = await page.evaluate(() => {
    const card = document.querySelector('[data-plot="m"]');
    const canvas = card.querySelector("canvas");
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const marker = card.querySelectorAll(".u-series")[1].querySelector(".u-marker");
    const colour = getComputedStyle(marker).backgroundColor.match(/\d+/g).map(Number);
    const found = [0, 0];
    for (let k = 0; k < width * height; ++k) {
      const near = (part) => Math.abs(data[4 * k + part] - colour[part]) <= 6 || false;
      const opacity = data[4 * k + 3];
      if (opacity > 50 && opacity < 80 && near(0) && near(1) && near(2)) ++found[k % width < width / 2 ? 0 : 1];
    }
    return found;
  });
  assert.ok(shaded[1] > 2000, `${shaded}`);
  assert.ok(shaded[0] < shaded[1] / 10, `${shaded}`);
  const least = Number(await page.locator('[data-plot="m"] .uplot').getAttribute("data-least"));
  assert.ok(least < -0.8, `the axis leaves out the band: ${least}`);
  await close(opened, "verified");
  const without = await open("one");
  assert.doesNotMatch(await without.page.innerText('[data-plot="m"] figcaption'), /shaded/);
  await close(without);
});

test("shows two results beside each other, and nothing of a run", async () => {
  const opened = await open("compared");
  const { page } = opened;
  assert.equal(await page.textContent("#header h1"), "a.mat and b.csv");
  assert.equal(await page.getAttribute("#state", "data-status"), "differs");
  const compared = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).comparison);
  const listed = await page.$$eval("#effort tbody th", (cells) => cells.map((cell) => cell.textContent));
  assert.deepEqual(
    listed,
    compared.variables.map(([name]) => name),
  );
  const text = await page.textContent("body main");
  for (const word of ["rejected", "Jacobians", "Step size"]) assert.ok(!text.includes(word), word);
  assert.equal(await page.locator("#cards").isVisible(), false);
  const markers = await page.$$eval(".plot .u-series .u-marker", (all) =>
    all.slice(1).map((marker) => getComputedStyle(marker).backgroundColor),
  );
  assert.equal(markers[0], markers[1], "both curves of a variable have one colour");
  await close(opened, "compared");
});

test("draws drifting, huge, tiny, flat and partly missing curves", async () => {
  const opened = await open("awkward");
  for (const name of ["drift", "huge", "tiny", "flat", "missing"]) {
    const [found] = await pixels(opened.page, `unit ${name}`);
    assert.ok(found > 100, `${name}: ${found}`);
  }
  const { width } = await opened.page.locator("#chooser").boundingBox();
  assert.ok(width < 300, `a long name makes the chooser ${width} pixels wide`);
  await close(opened, "awkward");
});

test("tells of a run that failed before its first value", async () => {
  const opened = await open("failed");
  assert.equal(await opened.page.getAttribute("#state", "data-status"), "failed");
  const text = await opened.page.innerText("body");
  for (const part of ["the first evaluation of `drum.p` is not finite", "Hint: give", "stored no values"]) {
    assert.ok(text.includes(part), part);
  }
  await close(opened, "failed");
});

test("fits a narrow window", async () => {
  const opened = await open("typical", { width: 480 });
  const overflow = await opened.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `${overflow} pixels too wide`);
  await close(opened, "narrow");
});

test("prints light plots even from a dark screen", async () => {
  const opened = await open("typical", { scheme: "dark" });
  const marker = '[data-plot="m"] .u-series:nth-child(2) .u-marker';
  const colour = () => opened.page.locator(marker).evaluate((node) => getComputedStyle(node).backgroundColor);
  const dark = await colour();
  await opened.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.notEqual(await colour(), dark);
  await opened.page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await colour(), dark);
  await close(opened);
});

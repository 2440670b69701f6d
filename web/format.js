// Numbers for people.

// Six significant digits unless told otherwise, with an exponent only where the digits would not fit.
export function number(value, digits = 6) {
  if (value == null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${Number(mantissa)}e${Number(exponent)}`.replace("-", "−").replace("e-", "e−");
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

// A count with thin spaces between the thousands.
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function seconds(value) {
  if (value >= 60) return `${number(value / 60, 3)} min`;
  if (value >= 1) return `${number(value, 3)} s`;
  if (value >= 1e-3) return `${number(value * 1e3, 3)} ms`;
  return `${number(value * 1e6, 3)} µs`;
}

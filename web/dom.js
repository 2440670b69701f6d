// Builds elements. All text goes in as text nodes, so that no name or message is ever read as markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

export function fill(id, ...children) {
  const target = document.getElementById(id);
  target.replaceChildren(...children.filter((child) => child != null));
  target.hidden = target.childNodes.length === 0;
  return target;
}

export function card(title, ...children) {
  return element("section", { class: "card" }, element("h2", {}, title), ...children);
}

// Rows of [name, value] as a table with the values on the right.
export function properties(rows) {
  const body = rows.map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)),
  );
  return element("table", { class: "properties" }, element("tbody", {}, ...body));
}

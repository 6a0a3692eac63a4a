// Elements of the page, made without a string of markup: what comes from files is text.

type Content = Node | string | null | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...content: Content[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const part of content) if (part !== null && part !== undefined) made.append(part);
  return made;
}

export function button(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title, "aria-label": title }, label);
  made.addEventListener("click", onClick);
  return made;
}

/** A named choice; `onChange` gets the index. */
export function choice(label: string, options: string[], onChange: (i: number) => void): HTMLLabelElement {
  const select = element("select");
  options.forEach((option, i) => select.append(element("option", { value: String(i) }, option)));
  select.addEventListener("change", () => onChange(select.selectedIndex));
  return element("label", { class: "choice" }, label + " ", select);
}

export function toggle(label: string, on: boolean, onChange: (on: boolean) => void): HTMLLabelElement {
  const box = element("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => onChange(box.checked));
  return element("label", { class: "toggle" }, box, " " + label);
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The value of a colour of the style sheet, as it is now. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim() || "#888";
}

export function addStyle(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

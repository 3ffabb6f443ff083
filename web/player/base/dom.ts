type Attributes = Readonly<Record<string, string | boolean>>;

/** Creates an element with attributes and children. `true` sets an empty attribute, `false` omits it. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes?: Attributes,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name];
export function make(name: string, attributes?: Attributes, ...children: (Node | string)[]): HTMLElement;
export function make(name: string, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** Attaches a shadow root with its own style. A constructed style sheet is allowed by any Content-Security-Policy. */
export function attachShadow(host: HTMLElement, css: string, ...children: Node[]): ShadowRoot {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(...children);
  return shadow;
}

const adopted = new Set<string>();

/** Adds the style of a module to the page. Only for modules that are fetched on first use, which call it once. */
export function adoptStyle(css: string): void {
  if (adopted.has(css)) return;
  adopted.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}

/** Adds one listener for several events. The returned function removes it. */
export function listen(target: EventTarget, names: readonly string[], listener: (event: Event) => void): () => void {
  for (const name of names) target.addEventListener(name, listener);
  return () => {
    for (const name of names) target.removeEventListener(name, listener);
  };
}

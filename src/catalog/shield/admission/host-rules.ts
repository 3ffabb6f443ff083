import { domainToASCII } from 'node:url';

/**
 * Compiled rules for host names, including `*.` wildcards. A look-up takes the same time for thousands of rules as for
 * one.
 */
export class HostRules {
  readonly #names = new Set<string>();
  readonly #below = new Set<string>();

  constructor(rules: readonly string[]) {
    for (const rule of rules) {
      const isBelow = rule.startsWith('*.');
      const name = isBelow ? rule.slice(2) : rule;
      // Browsers send the ASCII form of a name (RFC 5891); owners may enter either.
      const ascii = domainToASCII(name) || name.toLowerCase();
      this.#names.add(ascii);
      if (isBelow) this.#below.add(ascii);
    }
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** Returns whether a rule matches this lower-case name or a parent of it. */
  covers(host: string): boolean {
    if (this.#names.has(host)) return true;
    if (this.#below.size === 0) return false;
    for (let index = host.indexOf('.'); index !== -1; index = host.indexOf('.', index + 1)) {
      if (this.#below.has(host.slice(index + 1))) return true;
    }
    return false;
  }
}

/** Returns the host name of a URL in lower case, or null if there is none. */
export function hostOf(address: string): string | null {
  return URL.parse(address)?.hostname.toLowerCase() || null;
}

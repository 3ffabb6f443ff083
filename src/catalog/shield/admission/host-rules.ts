import { domainToASCII } from 'node:url';

/** Host names and `*.` for all below one, compiled: thousands of rules cost as much as one. */
export class HostRules {
  readonly #names = new Set<string>();
  readonly #below = new Set<string>();

  constructor(rules: readonly string[]) {
    for (const rule of rules) {
      const isBelow = rule.startsWith('*.');
      const name = isBelow ? rule.slice(2) : rule;
      // Pages name themselves by the ASCII form of a name (RFC 5891), owners by either.
      const ascii = domainToASCII(name) || name.toLowerCase();
      this.#names.add(ascii);
      if (isBelow) this.#below.add(ascii);
    }
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** Whether a rule has this name, in small letters, or one above it. */
  covers(host: string): boolean {
    if (this.#names.has(host)) return true;
    if (this.#below.size === 0) return false;
    for (let at = host.indexOf('.'); at !== -1; at = host.indexOf('.', at + 1)) {
      if (this.#below.has(host.slice(at + 1))) return true;
    }
    return false;
  }
}

/** The host name of an address, in small letters; null for what is none. */
export function hostOf(address: string): string | null {
  return URL.parse(address)?.hostname.toLowerCase() || null;
}

/**
 * Finds the groups of texts that have a member in a given text, in one pass over it (Aho and Corasick, 1975). Members
 * and texts are in lower case, one character per byte.
 */
export class LiteralScan {
  readonly #groups: number;
  /** Hash table with open addressing: `#keys` holds a state and a character, `#next` the state that follows. */
  readonly #keys: Int32Array;
  readonly #next: Int32Array;
  readonly #fallbacks: Int32Array;
  /** Groups found in a state, by its number. */
  readonly #found: readonly (readonly number[] | undefined)[];

  constructor(groups: readonly (readonly string[])[]) {
    this.#groups = groups.length;
    const trie = plantTrie(groups);
    const size = 2 ** Math.ceil(Math.log2(trie.edges.length * 2 + 2));
    this.#keys = new Int32Array(size).fill(-1);
    this.#next = new Int32Array(size);
    for (const { from, code, to } of trie.edges) this.#put(from * 256 + code, to);
    this.#fallbacks = new Int32Array(trie.found.length);
    this.#found = this.#link(trie);
  }

  /** Returns one byte per group: 1 if it was found. */
  scan(text: string): Uint8Array {
    const hits = new Uint8Array(this.#groups);
    let state = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index) & 0xff;
      state = this.#step(state, code);
      const found = this.#found[state];
      if (found !== undefined) for (const group of found) hits[group] = 1;
    }
    return hits;
  }

  #step(from: number, code: number): number {
    for (let state = from; ; state = this.#fallbacks[state] ?? 0) {
      const to = this.#get(state * 256 + code);
      if (to !== 0) return to;
      if (state === 0) return 0;
    }
  }

  #put(key: number, to: number): void {
    let slot = this.#slotOf(key);
    while (this.#keys[slot] !== -1) slot = (slot + 1) & (this.#keys.length - 1);
    this.#keys[slot] = key;
    this.#next[slot] = to;
  }

  #get(key: number): number {
    for (let slot = this.#slotOf(key); ; slot = (slot + 1) & (this.#keys.length - 1)) {
      const found = this.#keys[slot];
      if (found === key) return this.#next[slot] ?? 0;
      if (found === -1) return 0;
    }
  }

  #slotOf(key: number): number {
    return (Math.imul(key, 0x9e3779b1) >>> 7) & (this.#keys.length - 1);
  }

  /**
   * Breadth first: links each state to the longest suffix of its text that is another state, and adds that one's
   * groups.
   */
  #link({ edges, found }: Trie): (readonly number[] | undefined)[] {
    const all: (readonly number[] | undefined)[] = found.map((groups) => (groups.length === 0 ? undefined : groups));
    const ordered = edges.toSorted((one, other) => one.depth - other.depth);
    for (const { from, code, to, depth } of ordered) {
      const fallback = depth === 1 ? 0 : this.#step(this.#fallbacks[from] ?? 0, code);
      this.#fallbacks[to] = fallback;
      const further = all[fallback];
      if (further !== undefined) all[to] = [...new Set([...(all[to] ?? []), ...further])];
    }
    return all;
  }
}

type Edge = { from: number; code: number; to: number; depth: number };
type Trie = { edges: Edge[]; found: number[][] };

function plantTrie(groups: readonly (readonly string[])[]): Trie {
  const edges: Edge[] = [];
  const found: number[][] = [[]];
  const known = new Map<number, number>();
  for (const [group, texts] of groups.entries()) {
    for (const text of texts) {
      let state = 0;
      for (let index = 0; index < text.length; index += 1) {
        const code = text.charCodeAt(index) & 0xff;
        const next = known.get(state * 256 + code) ?? found.push([]) - 1;
        if (!known.has(state * 256 + code)) {
          known.set(state * 256 + code, next);
          edges.push({ from: state, code, to: next, depth: index + 1 });
        }
        state = next;
      }
      if (!found[state]?.includes(group)) found[state]?.push(group);
    }
  }
  return { edges, found };
}

const REMEMBERED = 4_096;

/** Remembers the last names that were asked for, to tell what is asked for again. */
export class RecentNames {
  readonly #names = new Set<string>();

  /** True when the name was asked for before, as far as is remembered. */
  note(name: string): boolean {
    const isKnown = this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size > REMEMBERED) {
      for (const oldest of this.#names) {
        this.#names.delete(oldest);
        break;
      }
    }
    return isKnown;
  }
}

type Lease = { users: number; sizeBytes: number };

/**
 * Bounds the memory that answers under way hold on to: a cache forgets bytes, but clients that read slowly
 * still keep them. Bytes of one name count once, however many clients read them.
 */
export class Leases {
  readonly #maxBytes: number;
  readonly #leases = new Map<string, Lease>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes part in a name's bytes; false when they would exceed the bound. */
  take(name: string, sizeBytes: number): boolean {
    const lease = this.#leases.get(name) ?? { users: 0, sizeBytes };
    if (lease.users === 0 && this.#bytes + sizeBytes > this.#maxBytes) return false;
    if (lease.users === 0) this.#bytes += sizeBytes;
    lease.users += 1;
    this.#leases.set(name, lease);
    return true;
  }

  give(name: string): void {
    const lease = this.#leases.get(name);
    if (lease === undefined) throw new Error(`Expected ${name} to be taken before it is given back.`);
    lease.users -= 1;
    if (lease.users > 0) return;
    this.#leases.delete(name);
    this.#bytes -= lease.sizeBytes;
  }
}

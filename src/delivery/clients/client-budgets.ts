/**
 * Limits how much of each shared resource one client address may use concurrently, so that no client can exhaust it.
 * Amounts use the unit of the resource. Only clients that use a resource are stored.
 */
export class ClientBudgets<Resource extends string> {
  readonly #limits: Readonly<Record<Resource, number>>;
  readonly #held = new Map<string, Map<Resource, number>>();

  constructor(limits: Readonly<Record<Resource, number>>) {
    this.#limits = limits;
  }

  /** Reserves an amount. Returns false, and reserves nothing, if the client would exceed its limit. */
  take(client: string, resource: Resource, amount = 1): boolean {
    const held = this.#held.get(client);
    const before = held?.get(resource) ?? 0;
    if (before + amount > this.#limits[resource]) return false;
    if (held === undefined) this.#held.set(client, new Map([[resource, amount]]));
    else held.set(resource, before + amount);
    return true;
  }

  /** Releases an amount that `take` reserved. */
  give(client: string, resource: Resource, amount = 1): void {
    const held = this.#held.get(client);
    const left = (held?.get(resource) ?? 0) - amount;
    if (held === undefined || left < 0)
      throw new Error(`Expected ${client} to hold ${amount} of ${resource}, got ${left + amount}.`);
    if (left > 0) held.set(resource, left);
    else if (held.size === 1) this.#held.delete(client);
    else held.delete(resource);
  }

  /** Number of clients that use any resource. */
  get clients(): number {
    return this.#held.size;
  }
}

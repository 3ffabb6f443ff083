/**
 * Limits how much of each shared resource one client address may use at a time, so that no single client can take what
 * is meant for all. Amounts are in the resource's own unit. Only clients that use something are stored.
 */
export class ClientBudgets<Resource extends string> {
  readonly #limits: Readonly<Record<Resource, number>>;
  readonly #held = new Map<string, Map<Resource, number>>();

  constructor(limits: Readonly<Record<Resource, number>>) {
    this.#limits = limits;
  }

  /** Returns false, and takes nothing, if the client would exceed its limit. */
  take(client: string, resource: Resource, amount = 1): boolean {
    const held = this.#held.get(client);
    const before = held?.get(resource) ?? 0;
    if (before + amount > this.#limits[resource]) return false;
    if (held === undefined) this.#held.set(client, new Map([[resource, amount]]));
    else held.set(resource, before + amount);
    return true;
  }

  /** Returns an amount that `take` granted. */
  give(client: string, resource: Resource, amount = 1): void {
    const held = this.#held.get(client);
    const left = (held?.get(resource) ?? 0) - amount;
    if (held === undefined || left < 0) throw new Error(`Expected ${client} to hold ${amount} of ${resource}.`);
    if (left > 0) held.set(resource, left);
    else if (held.size === 1) this.#held.delete(client);
    else held.delete(resource);
  }

  /** Number of clients that use anything. */
  get clients(): number {
    return this.#held.size;
  }
}

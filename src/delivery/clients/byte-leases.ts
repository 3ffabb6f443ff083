import type { ClientBudgets } from './client-budgets.ts';

type Budget = Pick<ClientBudgets<'lentBytes'>, 'take' | 'give'>;

/**
 * Counts the bytes in memory that are being sent to each client, against its `lentBytes` budget. Bytes with the same
 * name count once per client, because many viewers behind one address, such as a school, watch the same segment.
 */
export class ByteLeases {
  readonly #budgets: Budget;
  readonly #users = new Map<string, number>();

  constructor(budgets: Budget) {
    this.#budgets = budgets;
  }

  /**
   * Reserves bytes. Returns a function that releases them, which must be called once. Returns null if the client has
   * reached its limit.
   */
  take(client: string, { name, sizeBytes }: { name: string; sizeBytes: number }): (() => void) | null {
    const key = `${client}|${name}`;
    const users = this.#users.get(key) ?? 0;
    if (users === 0 && !this.#budgets.take(client, 'lentBytes', sizeBytes)) return null;
    this.#users.set(key, users + 1);
    return () => {
      const left = (this.#users.get(key) ?? 0) - 1;
      if (left > 0) {
        this.#users.set(key, left);
        return;
      }
      this.#users.delete(key);
      this.#budgets.give(client, 'lentBytes', sizeBytes);
    };
  }
}

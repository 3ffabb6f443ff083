import { setTimeout as wait } from 'node:timers/promises';
import { readWafSettings, type WafSettings } from '../../libraries/library-settings.ts';

/** A change is in force within this. Policies of zones are read as often too, since a notification may be lost. */
const FRESH_MS = 1_500;
/** Requests wait for it no longer than so: a database that stands still does not hold them up. */
const PATIENCE_MS = 300;

/** How requests of no pull zone are inspected, as it was a moment ago; while it cannot be read, as it was last. */
export class UnzonedWaf {
  readonly #load: () => Promise<WafSettings>;
  readonly #onError: (error: unknown) => void;
  #known: WafSettings = readWafSettings({});
  #loading: Promise<unknown> | null = null;
  #freshUntilMs = 0;

  constructor(load: () => Promise<WafSettings>, onError: (error: unknown) => void) {
    this.#load = load;
    this.#onError = onError;
  }

  async find(): Promise<WafSettings> {
    if (performance.now() < this.#freshUntilMs) return this.#known;
    this.#loading ??= Promise.race([this.#read(), wait(PATIENCE_MS, undefined, { ref: false })]);
    await this.#loading;
    return this.#known;
  }

  async #read(): Promise<void> {
    try {
      this.#known = await this.#load();
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#freshUntilMs = performance.now() + FRESH_MS;
      this.#loading = null;
    }
  }
}

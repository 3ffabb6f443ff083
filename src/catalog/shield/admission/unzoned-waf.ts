import { setTimeout as wait } from 'node:timers/promises';
import { readWafSettings, type WafSettings } from '../../libraries/library-settings.ts';

/**
 * Maximum age of the cached settings, in ms. Zone policies are read again at the same interval, because a notification
 * may be lost.
 */
const FRESH_MS = 1_500;
/** Maximum time that a request waits for the settings, in ms, so that a hanging database does not delay requests. */
const PATIENCE_MS = 300;

/**
 * Caches the inspection settings for requests that match no pull zone. While they cannot be read, the last ones apply.
 */
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

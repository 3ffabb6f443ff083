import { setTimeout as wait } from 'node:timers/promises';
import { readWafSettings, type WafSettings } from '../../libraries/library-settings.ts';

/**
 * Time after which a change is in force, in ms. Policies of zones are read as often too, because a notification may be
 * lost.
 */
const FRESH_MS = 1_500;
/** Maximum wait of a request for it, in ms: a hanging database does not delay them. */
const PATIENCE_MS = 300;

/** Recent settings for inspecting requests to no pull zone. While they cannot be read, the last ones apply. */
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

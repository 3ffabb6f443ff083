import { setImmediate as nextTurn } from 'node:timers/promises';
import { openOnce } from '../../../lib/open-once.ts';
import { Firewall } from './firewall.ts';
import { compileRules, type RuleSet, type RuleTexts } from './rule-set.ts';

/** Maximum time for which rules are compiled before other work can run, in ms. */
const SLICE_MS = 5;
/** Minimum time between attempts to read rules that could not be read, in ms. */
const RETRY_MS = 10_000;

/**
 * Replaces the defaults of the core rule set, which are for a general web application: allows the methods and content
 * types that this service uses. The names are defined by the core rule set.
 */
export const CORE_SETTINGS = {
  allowed_methods: 'GET HEAD POST OPTIONS PUT PATCH DELETE',
  allowed_request_content_type:
    '|application/x-www-form-urlencoded| |multipart/form-data| |multipart/related| |text/xml| |application/xml| ' +
    '|application/json| |application/octet-stream| |application/offset+octet-stream| |application/ocsp-request| ' +
    '|text/plain| |text/vtt| |image/jpeg| |image/png| |image/webp| |video/mp4|',
};

/** A firewall that is compiled when first needed, interleaved with other work; `current` is null until then. */
export type FirewallSource = {
  /** Null while its rules cannot be read: requests are admitted, and the reason is logged. */
  ready(): Promise<Firewall | null>;
  current(): Firewall | null;
};

export function openFirewall(load: () => Promise<RuleTexts>, onError: (error: unknown) => void): FirewallSource {
  let firewall: Firewall | null = null;
  const open = openOnce(async () => {
    try {
      firewall = new Firewall(await compileInTurns(await load()));
      return firewall;
    } catch (error) {
      onError(error);
      throw error;
    }
  }, RETRY_MS);
  return {
    // The error was already reported where it happened.
    ready: () => open().catch(() => null),
    current: () => firewall,
  };
}

/** Compiles in slices of a few milliseconds, so that requests in progress continue. */
export async function compileInTurns(texts: RuleTexts): Promise<RuleSet> {
  const steps = compileRules(texts, CORE_SETTINGS);
  let sliceMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - sliceMs < SLICE_MS) continue;
    await nextTurn();
    sliceMs = performance.now();
  }
}

import { unreachable } from '../../../lib/unreachable.ts';
import type { DrmSystem, SystemSignals } from '../../../ports/drm-key-source.ts';
import { SYSTEM_IDS } from '../keys/pssh.ts';
import type { HlsKey } from './hls-key.ts';
import { hlsKeys, type KeySystem, type SignalledKey, writeContentProtection } from './signalling.ts';

/**
 * The keys of a media playlist as a key server states them, for each of its systems, or made of its pssh boxes where it
 * states none. `signals` are those of the key.
 */
export function systemHlsKeys(key: SignalledKey, signals: readonly SystemSignals[]): HlsKey[] {
  return signals.flatMap((signal) => {
    if (signal.hlsMedia !== null) return signal.hlsMedia.split('\n').map(toKey);
    const system = toKeySystem(key, signal);
    return system === null ? [] : hlsKeys(key, [system]);
  });
}

/** The keys of a multivariant playlist (EXT-X-SESSION-KEY) that a key server states, each once. */
export function systemSessionKeys(signals: readonly SystemSignals[]): HlsKey[] {
  return [...new Set(signals.flatMap(({ hlsMultivariant }) => hlsMultivariant?.split('\n') ?? []))].map(toKey);
}

/** A key server gives whole lines, of which the attribute list stands behind the first colon. */
function toKey(line: string): HlsKey {
  return { attributes: line.slice(line.indexOf(':') + 1) };
}

/** The ContentProtection elements of an AdaptationSet under a key server's key. `signals` are those of the key. */
export function writeSystemProtection(key: SignalledKey, signals: readonly SystemSignals[]): string[] {
  const made = signals.flatMap((signal) => {
    const system = signal.contentProtection === null ? toKeySystem(key, signal) : null;
    return system === null ? [] : [system];
  });
  const said = signals.flatMap(({ system, contentProtection }) =>
    contentProtection === null ? [] : [wrapProtection(system, contentProtection)],
  );
  return [...writeContentProtection(key, made), ...said];
}

/** CPIX says what stands inside the element; some servers send the element itself. */
function wrapProtection(system: DrmSystem, content: string): string {
  const text = content.trim();
  if (/^<(\w+:)?ContentProtection[\s>]/.test(text)) return text;
  return `<ContentProtection schemeIdUri="urn:uuid:${SYSTEM_IDS[system]}">${text}</ContentProtection>`;
}

/** Null where the server says too little of a system. */
function toKeySystem({ kid }: SignalledKey, { system, pssh }: SystemSignals): KeySystem | null {
  switch (system) {
    case 'widevine':
    case 'playReady':
      return pssh === null ? null : { name: system, pssh };
    case 'fairPlay':
      return { name: system, keyUri: `skd://${kid}` };
    default:
      return unreachable(system);
  }
}

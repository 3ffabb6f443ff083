import { unreachable } from '../../../lib/unreachable.ts';
import type { DrmSystem, SystemSignals } from '../../../ports/drm-key-source.ts';
import { SYSTEM_IDS } from '../keys/pssh.ts';
import { type KeySystem, type SignalledKey, writeContentProtection, writeHlsKeyLines } from './signalling.ts';

/**
 * The EXT-X-KEY lines of a media playlist as a key server states them, for each of its systems, or made of its pssh
 * boxes where it states none. `signals` are those of the key.
 */
export function writeSystemKeyLines(key: SignalledKey, signals: readonly SystemSignals[]): string[] {
  return signals.flatMap((signal) => {
    if (signal.hlsMedia !== null) return signal.hlsMedia.split('\n');
    const system = toKeySystem(key, signal);
    return system === null ? [] : writeHlsKeyLines('media', key, [system]);
  });
}

/** The EXT-X-SESSION-KEY lines that a key server states, each once. */
export function writeSystemSessionKeyLines(signals: readonly SystemSignals[]): string[] {
  return [...new Set(signals.flatMap(({ hlsMultivariant }) => hlsMultivariant?.split('\n') ?? []))];
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

/** CPIX states what stands inside the element; some servers send the element itself. */
function wrapProtection(system: DrmSystem, content: string): string {
  const text = content.trim();
  if (/^<(\w+:)?ContentProtection[\s>]/.test(text)) return text;
  return `<ContentProtection schemeIdUri="urn:uuid:${SYSTEM_IDS[system]}">${text}</ContentProtection>`;
}

/** Null where the server states too little of a system. */
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

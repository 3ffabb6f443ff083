import { unreachable } from '../../../lib/unreachable.ts';
import type { DrmSystem, SystemSignals } from '../../../ports/drm-key-source.ts';
import { SYSTEM_IDS } from '../keys/pssh.ts';
import type { HlsKey } from './hls-key.ts';
import { hlsKeys, type KeySystem, type SignalledKey, writeContentProtection } from './signalling.ts';

/**
 * Returns the keys of a media playlist, one per system: as signalled by the key server, or built from its pssh boxes if
 * it signals none. `signals` must belong to `key`.
 */
export function systemHlsKeys(key: SignalledKey, signals: readonly SystemSignals[]): HlsKey[] {
  return signals.flatMap((signal) => {
    if (signal.hlsMedia !== null) return signal.hlsMedia.split('\n').map(toKey);
    const system = toKeySystem(key, signal);
    return system === null ? [] : hlsKeys(key, [system]);
  });
}

/** Returns the keys of a multivariant playlist (EXT-X-SESSION-KEY) that a key server signals, without duplicates. */
export function systemSessionKeys(signals: readonly SystemSignals[]): HlsKey[] {
  return [...new Set(signals.flatMap(({ hlsMultivariant }) => hlsMultivariant?.split('\n') ?? []))].map(toKey);
}

/** Returns the attribute list of a line from a key server, which follows the first colon. */
function toKey(line: string): HlsKey {
  return { attributes: line.slice(line.indexOf(':') + 1) };
}

/**
 * Writes the ContentProtection elements of an AdaptationSet with a key from a key server. `signals` must belong to
 * `key`.
 */
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

/**
 * Returns a whole ContentProtection element. CPIX specifies that servers send its content, but some send the element
 * itself.
 */
function wrapProtection(system: DrmSystem, content: string): string {
  const text = content.trim();
  if (/^<(\w+:)?ContentProtection[\s>]/.test(text)) return text;
  return `<ContentProtection schemeIdUri="urn:uuid:${SYSTEM_IDS[system]}">${text}</ContentProtection>`;
}

/** Returns the signalling of a system, or null if the server did not send the required data. */
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

import { escapeXml } from '../../../lib/escape-xml.ts';
import type { Guid } from '../../../lib/guid.ts';
import { unreachable } from '../../../lib/unreachable.ts';
import type { SchemeName } from '../../../ports/drm-key-source.ts';
import { findScheme } from '../encryption/all.ts';
import { kidBytes } from '../keys/content-keys.ts';
import { readPssh, SYSTEM_IDS, writeCommonPssh } from '../keys/pssh.ts';
import type { HlsKey } from './hls-key.ts';

/** Key and scheme of a rendition, as signalled in manifests. */
export type SignalledKey = { scheme: SchemeName; kid: Guid };

/**
 * A way for players to get the key. `identity` serves the raw 16 bytes at a URL, for Shaka Player's ClearKey in HLS. It
 * needs a separate playlist: next to the key of `clearKey`, hls.js treats it as a SAMPLE-AES key and does not play.
 * `pssh` is the whole box.
 */
export type KeySystem =
  | { name: 'clearKey'; licenceUrl: string }
  | { name: 'identity'; keyUrl: string }
  | { name: 'widevine'; pssh: Buffer }
  | { name: 'playReady'; pssh: Buffer }
  | { name: 'fairPlay'; keyUri: string };

/**
 * Returns the keys of a media playlist, one per system (RFC 8216 section 4.3.2.4). The URI for ClearKey is the bare key
 * id, because hls.js uses its first 16 bytes as the key id. Throws for FairPlay with `cenc`, which FairPlay cannot
 * decrypt, and for `identity` together with `clearKey`.
 */
export function hlsKeys(key: SignalledKey, systems: readonly KeySystem[]): HlsKey[] {
  const names = systems.map(({ name }) => name);
  if (names.includes('identity') && names.includes('clearKey')) {
    throw new Error('Expected identity and clearKey keys in separate playlists, got both in one.');
  }
  const method = findScheme(key.scheme).hlsMethod;
  return systems.map((system) => ({ method, ...describeForHls(key, system) }));
}

/**
 * Writes the ContentProtection elements of a DASH AdaptationSet: the scheme with its key id, one element per system,
 * and the common system (ISO 23009-1 section 5.8.4.1, DASH-IF IOP part 6). Each element declares its own prefix,
 * because the MPD declares none. FairPlay and `identity` do not exist in DASH and have no element.
 */
export function writeContentProtection(key: SignalledKey, systems: readonly KeySystem[]): string[] {
  const scheme = `schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="${key.scheme}"`;
  const common = `schemeIdUri="urn:uuid:${SYSTEM_IDS.common}"`;
  return [
    `<ContentProtection ${scheme} xmlns:cenc="${CENC}" cenc:default_KID="${key.kid}"/>`,
    // The ClearKey element precedes the common one, because Shaka uses the licence URL of the first element of a key
    // system.
    ...systems.flatMap(describeForDash),
    `<ContentProtection ${common}>${psshElement(writeCommonPssh([key.kid]))}</ContentProtection>`,
  ];
}

const CENC = 'urn:mpeg:cenc:2013';

type KeyPlace = { uri: string; keyFormat: string; keyIdHex?: string };

function describeForHls({ scheme, kid }: SignalledKey, system: KeySystem): KeyPlace {
  switch (system.name) {
    case 'clearKey':
      return { uri: dataUri('text/plain', kidBytes(kid)), keyFormat: 'org.w3.clearkey' };
    case 'identity':
      return { uri: system.keyUrl, keyFormat: 'identity' };
    case 'widevine': {
      const uri = dataUri('text/plain', requireSystem(system.pssh, SYSTEM_IDS.widevine));
      const keyIdHex = kidBytes(kid).toString('hex').toUpperCase();
      return { uri, keyFormat: `urn:uuid:${SYSTEM_IDS.widevine}`, keyIdHex };
    }
    case 'playReady': {
      const box = requireSystem(system.pssh, SYSTEM_IDS.playReady);
      return { uri: dataUri('text/plain;charset=UTF-16', readPssh(box).data), keyFormat: 'com.microsoft.playready' };
    }
    case 'fairPlay':
      if (scheme !== 'cbcs') throw new Error(`Expected scheme cbcs for FairPlay, got ${scheme}.`);
      return { uri: system.keyUri, keyFormat: 'com.apple.streamingkeydelivery' };
    default:
      return unreachable(system);
  }
}

function describeForDash(system: KeySystem): string[] {
  switch (system.name) {
    case 'clearKey': {
      const url = escapeXml(system.licenceUrl);
      const laurl = `<dashif:Laurl xmlns:dashif="https://dashif.org/CPS">${url}</dashif:Laurl>`;
      return [protection(SYSTEM_IDS.clearKey, 'ClearKey1.0', laurl)];
    }
    case 'widevine':
      return [
        protection(SYSTEM_IDS.widevine, 'Widevine', psshElement(requireSystem(system.pssh, SYSTEM_IDS.widevine))),
      ];
    case 'playReady': {
      const box = requireSystem(system.pssh, SYSTEM_IDS.playReady);
      const header = readPssh(box).data.toString('base64');
      const pro = `<mspr:pro xmlns:mspr="urn:microsoft:playready">${header}</mspr:pro>`;
      return [protection(SYSTEM_IDS.playReady, 'MSPR 2.0', `${psshElement(box)}${pro}`)];
    }
    case 'identity':
    case 'fairPlay':
      return [];
    default:
      return unreachable(system);
  }
}

function protection(systemId: Guid, value: string, content: string): string {
  return `<ContentProtection schemeIdUri="urn:uuid:${systemId}" value="${value}">${content}</ContentProtection>`;
}

function psshElement(box: Buffer): string {
  return `<cenc:pssh xmlns:cenc="${CENC}">${box.toString('base64')}</cenc:pssh>`;
}

function dataUri(mediaType: string, bytes: Buffer): string {
  return `data:${mediaType};base64,${bytes.toString('base64')}`;
}

function requireSystem(box: Buffer, systemId: Guid): Buffer {
  const received = readPssh(box).systemId;
  if (received === systemId) return box;
  throw new Error(`Expected a pssh box of system ${systemId}, got one of ${received}.`);
}

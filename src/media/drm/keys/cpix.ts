import { escapeXml } from '../../../lib/escape-xml.ts';
import { type Guid, parseGuid } from '../../../lib/guid.ts';
import { childElements, parseXml, type XmlElement } from '../../../lib/parse-xml.ts';
import type {
  ContentKey,
  ContentKeys,
  DrmSystem,
  KeyAnswer,
  KeyGroup,
  KeyRequest,
  SystemSignals,
} from '../../../ports/drm-key-source.ts';
import { KEY_GROUPS } from './content-keys.ts';
import { readPssh, SYSTEM_IDS } from './pssh.ts';

const CPIX = 'urn:dashif:org:cpix';
const PSKC = 'urn:ietf:params:xml:ns:keyprov:pskc';
const VERSION = '2.3';
/** Minimum pixels of video in the group `hd`: 1280 x 720. */
const HD_PIXELS = 921_600;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

const USAGE: Readonly<Record<KeyGroup, { track: string; filter: string }>> = {
  audio: { track: 'AUDIO', filter: '<cpix:AudioFilter/>' },
  sd: { track: 'SD', filter: `<cpix:VideoFilter maxPixels="${HD_PIXELS - 1}"/>` },
  hd: { track: 'HD', filter: `<cpix:VideoFilter minPixels="${HD_PIXELS}"/>` },
};

/**
 * Writes the document that requests the keys of a video from a key server (SPEKE API v2, CPIX 2.3): one content key per
 * group with the given key ids, the systems' headers, and the tracks that each key is for. Throws for FairPlay with
 * `cenc`.
 */
export function writeCpixRequest({ contentId, keys, systems }: KeyRequest): string {
  if (systems.includes('fairPlay') && keys.scheme !== 'cbcs') {
    throw new Error(`Expected scheme cbcs for FairPlay, got ${keys.scheme}.`);
  }
  const each = (write: (kid: Guid, group: KeyGroup) => string): string =>
    KEY_GROUPS.map((group) => write(keys.groups[group].kid, group)).join('');
  const contentKeys = each((kid) => `<cpix:ContentKey kid="${kid}" commonEncryptionScheme="${keys.scheme}"/>`);
  const drmSystems = each((kid) => systems.map((system) => writeSystem(kid, system)).join(''));
  const rules = each((kid, group) => {
    const { track, filter } = USAGE[group];
    return `<cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="${track}">${filter}</cpix:ContentKeyUsageRule>`;
  });
  const namespaces = `xmlns:cpix="${CPIX}" xmlns:pskc="${PSKC}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<cpix:CPIX contentId="${escapeXml(contentId)}" version="${VERSION}" ${namespaces}>`,
    `<cpix:ContentKeyList>${contentKeys}</cpix:ContentKeyList>`,
    `<cpix:DRMSystemList>${drmSystems}</cpix:DRMSystemList>`,
    `<cpix:ContentKeyUsageRuleList>${rules}</cpix:ContentKeyUsageRuleList>`,
    '</cpix:CPIX>',
  ].join('');
}

/**
 * Parses a key server's response to `request`: a key for each requested key id, clear in base64 (the transport is TLS),
 * and each system's headers. A constant IV from the server (`explicitIV`) replaces the proposed one. Throws, without
 * including a key in the error, for damaged XML, another video's document, a missing, duplicate or wrapped
 * (`EncryptedValue`) key, a scheme that was not requested and an invalid pssh box.
 */
export function parseCpixAnswer(text: string, request: KeyRequest): KeyAnswer {
  const root = parseXml(text);
  if (root.namespace !== CPIX || root.name !== 'CPIX') throw new Error(`Expected a CPIX document, got ${root.name}.`);
  const contentId = root.attributes.get('contentId');
  if (contentId !== undefined && contentId !== request.contentId) {
    throw new Error(`Expected a CPIX document of content ${request.contentId}, got one of ${contentId}.`);
  }
  const listed = inList(root, 'ContentKeyList', 'ContentKey');
  const readGroup = (group: KeyGroup): ContentKey => readKey(listed, request.keys, group);
  const groups = { audio: readGroup('audio'), sd: readGroup('sd'), hd: readGroup('hd') };
  const systems = inList(root, 'DRMSystemList', 'DRMSystem').flatMap((element) => readSystem(element, request));
  return { keys: { scheme: request.keys.scheme, groups }, systems };
}

function writeSystem(kid: Guid, system: DrmSystem): string {
  const pssh = system === 'fairPlay' ? '' : '<cpix:PSSH/><cpix:ContentProtectionData/>';
  const hls = '<cpix:HLSSignalingData playlist="media"/><cpix:HLSSignalingData playlist="master"/>';
  return `<cpix:DRMSystem kid="${kid}" systemId="${SYSTEM_IDS[system]}">${pssh}${hls}</cpix:DRMSystem>`;
}

function inList(root: XmlElement, list: string, name: string): XmlElement[] {
  return childElements(root, CPIX, list).flatMap((element) => childElements(element, CPIX, name));
}

function readKey(listed: readonly XmlElement[], requested: ContentKeys, group: KeyGroup): ContentKey {
  const { kid, constantIv } = requested.groups[group];
  const [element, second] = listed.filter((candidate) => parseGuid(candidate.attributes.get('kid') ?? '') === kid);
  if (element === undefined || second !== undefined) {
    throw new Error(`Expected key ${kid} (${group}) once in the CPIX response, got ${element ? 'it twice' : 'none'}.`);
  }
  const scheme = element.attributes.get('commonEncryptionScheme') ?? requested.scheme;
  if (scheme !== requested.scheme)
    throw new Error(`Expected key ${kid} for ${requested.scheme}, got one for ${scheme}.`);
  const [secret] = childElements(element, CPIX, 'Data').flatMap((data) => childElements(data, PSKC, 'Secret'));
  const [plain] = secret === undefined ? [] : childElements(secret, PSKC, 'PlainValue');
  if (plain === undefined) throw new Error(`Expected a plain value of key ${kid}, got none or a wrapped one.`);
  const iv = element.attributes.get('explicitIV');
  return {
    kid,
    key: sixteenBytes(plain.content, `key ${kid}`),
    constantIv: iv === undefined ? constantIv : sixteenBytes(iv, `the IV of key ${kid}`),
  };
}

/** Reads the headers of one DRMSystem element. Returns an empty list if its system or key was not requested. */
function readSystem(element: XmlElement, { keys, systems }: KeyRequest): SystemSignals[] {
  const systemId = parseGuid(element.attributes.get('systemId') ?? '');
  const kid = parseGuid(element.attributes.get('kid') ?? '');
  const system = systems.find((name) => SYSTEM_IDS[name] === systemId);
  const group = KEY_GROUPS.find((name) => keys.groups[name].kid === kid);
  if (system === undefined || group === undefined) return [];
  const [pssh = null] = readData(element, 'PSSH');
  if (pssh !== null && readPssh(pssh).systemId !== systemId) {
    throw new Error(`Expected a pssh box of ${system} in its DRMSystem, got one of another system.`);
  }
  const [contentProtection] = readData(element, 'ContentProtectionData');
  return [
    {
      ...{ system, group, pssh },
      hlsMedia: readPlaylistLines(element, 'media', '#EXT-X-KEY:'),
      hlsMultivariant: readPlaylistLines(element, 'master', '#EXT-X-SESSION-KEY:'),
      contentProtection: contentProtection === undefined ? null : checkFragment(contentProtection.toString('utf8')),
    },
  ];
}

/** Checks text that is copied to manifests unchanged: it may contain only whole elements with their own namespaces. */
function checkFragment(text: string): string {
  if (text.includes('<!') || text.includes('<?')) throw new Error('Expected only elements in ContentProtectionData.');
  parseXml(`<fragment>${text}</fragment>`);
  return text;
}

/**
 * Returns the lines for a kind of playlist, or null if there are none. HLSSignalingData without a playlist attribute
 * applies to media playlists (CPIX 2.3). Throws if a line has another tag.
 */
function readPlaylistLines(system: XmlElement, playlist: string, tag: string): string | null {
  const [data] = readData(system, 'HLSSignalingData', (it) => (it.attributes.get('playlist') ?? 'media') === playlist);
  if (data === undefined) return null;
  const lines = data.toString('utf8').trim().split(/\r?\n/);
  // These lines are copied to playlists unchanged, so they must not contain any other tag.
  const other = lines.findIndex((line) => !line.startsWith(tag) || /\p{Cc}/u.test(line));
  if (other === -1) return lines.join('\n');
  throw new Error(
    `Expected only ${tag} lines in the CPIX response's signalling for ${playlist} playlists, ` +
      `got a different line ${other + 1}.`,
  );
}

/** Returns the decoded base64 content of the child elements with a name. Ignores empty elements. */
function readData(parent: XmlElement, name: string, isWanted: (child: XmlElement) => boolean = () => true): Buffer[] {
  return childElements(parent, CPIX, name)
    .filter((child) => isWanted(child) && child.content.trim() !== '')
    .map((child) => decodeBase64(child.content, name));
}

function sixteenBytes(text: string, what: string): Buffer {
  const bytes = decodeBase64(text, what);
  if (bytes.length !== 16) throw new Error(`Expected 16 bytes of ${what} in the CPIX response, got ${bytes.length}.`);
  return bytes;
}

function decodeBase64(text: string, what: string): Buffer {
  if (!BASE64.test(text)) throw new Error(`Expected ${what} in base64 in the CPIX response.`);
  return Buffer.from(text, 'base64');
}

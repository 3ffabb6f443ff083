import { describe, expect, test } from 'vitest';
import { childElements, parseXml } from '../../../lib/parse-xml.ts';
import type { ContentKey, KeyRequest } from '../../../ports/drm-key-source.ts';
import { writeFullBox, writeU32 } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { KEY_GROUPS, kidBytes, newContentKeys } from './content-keys.ts';
import { parseCpixAnswer, writeCpixRequest } from './cpix.ts';
import { SYSTEM_IDS } from './pssh.ts';

const CPIX = 'urn:dashif:org:cpix';
const request: KeyRequest = {
  contentId: 'video & 1',
  keys: newContentKeys('cbcs'),
  systems: ['widevine', 'playReady', 'fairPlay'],
};
const served = newContentKeys('cbcs');
const widevine = writeFullBox('pssh', 0, 0, kidBytes(SYSTEM_IDS.widevine), writeU32(2), Buffer.from('wv'));
const mediaLine = '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://v",KEYFORMAT="com.apple.streamingkeydelivery"';
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

/** Returns a content key as key servers write it, with prefixes and line breaks that differ from those in requests. */
function contentKey({ kid }: ContentKey, key: Buffer, attributes = 'commonEncryptionScheme="cbcs"'): string {
  const secret = `<p:Secret>\n<p:PlainValue>\n ${base64(key)}\n</p:PlainValue></p:Secret>`;
  return `<ContentKey kid="${kid.toUpperCase()}" ${attributes}><Data>${secret}</Data></ContentKey>`;
}

function drmSystem(kid: string, systemId: string, content: string): string {
  return `<DRMSystem kid="${kid}" systemId="${systemId}">${content}</DRMSystem>`;
}

function answer(contentKeys: string, drmSystems = '', attributes = 'contentId="video &amp; 1"'): string {
  return `<?xml version="1.0" encoding="utf-8"?>
    <CPIX xmlns="${CPIX}" xmlns:p="urn:ietf:params:xml:ns:keyprov:pskc" ${attributes} version="2.3">
    <ContentKeyList>${contentKeys}</ContentKeyList><DRMSystemList>${drmSystems}</DRMSystemList></CPIX>`;
}

const allKeys = KEY_GROUPS.map((group) => contentKey(request.keys.groups[group], served.groups[group].key)).join('');

describe('a key request', () => {
  test('requests a key per group and headers for each system', () => {
    const root = parseXml(writeCpixRequest(request));
    expect([root.namespace, root.name]).toEqual([CPIX, 'CPIX']);
    expect([root.attributes.get('contentId'), root.attributes.get('version')]).toEqual(['video & 1', '2.3']);
    const list = (listName: string, name: string) =>
      childElements(root, CPIX, listName).flatMap((it) => childElements(it, CPIX, name));
    const kids = KEY_GROUPS.map((group) => request.keys.groups[group].kid);
    const keys = list('ContentKeyList', 'ContentKey');
    expect(keys.map((it) => [it.attributes.get('kid'), it.attributes.get('commonEncryptionScheme')])).toEqual(
      kids.map((kid) => [kid, 'cbcs']),
    );
    expect(list('DRMSystemList', 'DRMSystem').map((it) => [it.attributes.get('kid'), it.children.length])).toEqual(
      kids.flatMap((kid) => [4, 4, 2].map((count) => [kid, count])),
    );
    const rules = list('ContentKeyUsageRuleList', 'ContentKeyUsageRule');
    expect(rules.map((it) => [it.attributes.get('intendedTrackType'), it.children[0]?.name])).toEqual([
      ['AUDIO', 'AudioFilter'],
      ['SD', 'VideoFilter'],
      ['HD', 'VideoFilter'],
    ]);
  });

  test('contains no key', () => {
    const text = writeCpixRequest(request);
    for (const { key } of Object.values(request.keys.groups)) {
      expect(text).not.toContain(key.toString('base64'));
      expect(text).not.toContain(key.toString('hex'));
    }
  });

  test('rejects FairPlay with cenc', () => {
    const keys = newContentKeys('cenc');
    expect(() => writeCpixRequest({ ...request, keys })).toThrow('Expected scheme cbcs for FairPlay');
  });
});

describe('a key response', () => {
  test('has a key for each group with the requested id', () => {
    const { keys, systems } = parseCpixAnswer(answer(allKeys), request);
    for (const group of KEY_GROUPS) {
      const { kid, constantIv } = request.keys.groups[group];
      expect(keys.groups[group]).toEqual({ kid, constantIv, key: served.groups[group].key });
    }
    expect(systems).toEqual([]);
  });

  test("replaces the IV with the server's constant IV", () => {
    const { hd, sd, audio } = request.keys.groups;
    const iv = Buffer.alloc(16, 7);
    const text = answer(
      contentKey(hd, Buffer.alloc(16, 1), `explicitIV="${base64(iv)}"`) +
        contentKey(sd, Buffer.alloc(16, 2)) +
        contentKey(audio, Buffer.alloc(16, 3)),
    );
    expect(parseCpixAnswer(text, request).keys.groups.hd.constantIv).toEqual(iv);
  });
});

describe('a key response for several systems', () => {
  test('returns the headers of the requested systems and ignores others', () => {
    const { kid } = request.keys.groups.hd;
    const systems = [
      drmSystem(kid, SYSTEM_IDS.widevine, `<PSSH>${base64(widevine)}</PSSH><ContentProtectionData/>`),
      drmSystem(
        kid,
        SYSTEM_IDS.fairPlay,
        `<HLSSignalingData playlist="media">${base64(mediaLine)}</HLSSignalingData>
         <HLSSignalingData playlist="master">${base64(mediaLine.replace('KEY', 'SESSION-KEY'))}</HLSSignalingData>`,
      ),
      drmSystem(kid, SYSTEM_IDS.common, '<PSSH>AAAA</PSSH>'),
      drmSystem('00000000-0000-0000-0000-000000000000', SYSTEM_IDS.widevine, ''),
    ];
    const none = { group: 'hd', pssh: null, hlsMedia: null, hlsMultivariant: null, contentProtection: null };
    expect(parseCpixAnswer(answer(allKeys, systems.join('')), request).systems).toEqual([
      { ...none, system: 'widevine', pssh: widevine },
      {
        ...none,
        system: 'fairPlay',
        hlsMedia: mediaLine,
        hlsMultivariant: mediaLine.replace('KEY', 'SESSION-KEY'),
      },
    ]);
  });

  const { hd, sd, audio } = request.keys.groups;
  const others = contentKey(sd, Buffer.alloc(16)) + contentKey(audio, Buffer.alloc(16));
  const signalling = (text: string) =>
    drmSystem(hd.kid, SYSTEM_IDS.fairPlay, `<HLSSignalingData>${base64(text)}</HLSSignalingData>`);
  test.each([
    { what: 'another document', text: '<keys/>', message: 'Expected a CPIX document' },
    { what: "another video's keys", text: answer(allKeys, '', 'contentId="2"'), message: 'of content video & 1' },
    { what: 'a missing key', text: answer(others), message: 'got none' },
    { what: 'a duplicate key', text: answer(allKeys + contentKey(hd, Buffer.alloc(16))), message: 'it twice' },
    { what: 'a key of 15 bytes', text: answer(others + contentKey(hd, Buffer.alloc(15))), message: 'got 15' },
    { what: 'no base64', text: answer(allKeys.replace(/PlainValue>\s+../, '$&§')), message: 'in base64' },
    {
      what: 'a wrapped key',
      text: answer(allKeys.replaceAll('PlainValue', 'EncryptedValue')),
      message: 'a wrapped one',
    },
    {
      what: 'another scheme',
      text: answer(others + contentKey(hd, Buffer.alloc(16), 'commonEncryptionScheme="cenc"')),
      message: 'for cbcs, got one for cenc',
    },
    {
      what: "another system's header",
      text: answer(allKeys, drmSystem(hd.kid, SYSTEM_IDS.playReady, `<PSSH>${base64(widevine)}</PSSH>`)),
      message: 'pssh box of playReady',
    },
    {
      what: 'lines of another tag',
      text: answer(allKeys, signalling(`${mediaLine}\n#EXT-X-ENDLIST`)),
      message: 'only',
    },
  ])('with $what is rejected', ({ text, message }) => {
    expect(() => parseCpixAnswer(text, request)).toThrow(message);
  });

  test('with a damaged header is rejected', () => {
    const text = answer(allKeys, drmSystem(hd.kid, SYSTEM_IDS.widevine, '<PSSH>AAAAEHBzc2g=</PSSH>'));
    expect(() => parseCpixAnswer(text, request)).toThrow(BrokenMedia);
  });
});

import { describe, expect, test } from 'vitest';
import { parseGuid } from '../../../lib/guid.ts';
import { parseXml } from '../../../lib/parse-xml.ts';
import { writeFullBox, writeU32 } from '../../bmff/boxes.ts';
import { kidBytes } from '../keys/content-keys.ts';
import { SYSTEM_IDS, writeCommonPssh } from '../keys/pssh.ts';
import { writeKeyAttributes } from './hls-key.ts';
import { hlsKeys, type KeySystem, writeContentProtection } from './signalling.ts';

const kid = parseGuid('00112233-4455-6677-8899-aabbccddeeff');
if (kid === null) throw new Error('Expected a GUID.');
const pssh = (system: 'widevine' | 'playReady', data: string): Buffer =>
  writeFullBox('pssh', 0, 0, kidBytes(SYSTEM_IDS[system]), writeU32(data.length), Buffer.from(data));
const widevine = pssh('widevine', 'wv');
const playReady = pssh('playReady', 'pro');

describe('EXT-X-KEY lines', () => {
  test.each<{ what: string; scheme: 'cenc' | 'cbcs'; system: KeySystem; line: string }>([
    {
      what: 'the bare key id for ClearKey in hls.js',
      scheme: 'cenc',
      system: { name: 'clearKey', licenceUrl: '/l' },
      line:
        'METHOD=SAMPLE-AES-CTR,URI="data:text/plain;base64,ABEiM0RVZneImaq7zN3u/w==",' +
        'KEYFORMAT="org.w3.clearkey",KEYFORMATVERSIONS="1"',
    },
    {
      what: "the key's URL for Shaka",
      scheme: 'cbcs',
      system: { name: 'identity', keyUrl: 'https://k/1' },
      line: 'METHOD=SAMPLE-AES,URI="https://k/1",KEYFORMAT="identity",KEYFORMATVERSIONS="1"',
    },
    {
      what: 'the whole header and the key id for Widevine',
      scheme: 'cbcs',
      system: { name: 'widevine', pssh: widevine },
      line:
        `METHOD=SAMPLE-AES,URI="data:text/plain;base64,${widevine.toString('base64')}",` +
        'KEYID=0x00112233445566778899AABBCCDDEEFF,' +
        'KEYFORMAT="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed",KEYFORMATVERSIONS="1"',
    },
    {
      what: 'the inner object for PlayReady',
      scheme: 'cenc',
      system: { name: 'playReady', pssh: playReady },
      line:
        'METHOD=SAMPLE-AES-CTR,URI="data:text/plain;charset=UTF-16;base64,cHJv",' +
        'KEYFORMAT="com.microsoft.playready",KEYFORMATVERSIONS="1"',
    },
    {
      what: 'the skd URL for FairPlay',
      scheme: 'cbcs',
      system: { name: 'fairPlay', keyUri: 'skd://v1' },
      line: 'METHOD=SAMPLE-AES,URI="skd://v1",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"',
    },
  ])('contain $what', ({ scheme, system, line }) => {
    expect(hlsKeys({ scheme, kid }, [system]).map(writeKeyAttributes)).toEqual([line]);
  });

  test.each<{ what: string; systems: KeySystem[] }>([
    { what: 'FairPlay with cenc', systems: [{ name: 'fairPlay', keyUri: 'skd://v1' }] },
    {
      what: 'identity together with ClearKey',
      systems: [
        { name: 'clearKey', licenceUrl: '/l' },
        { name: 'identity', keyUrl: '/k' },
      ],
    },
    { what: "another system's header", systems: [{ name: 'widevine', pssh: playReady }] },
    { what: 'a URL with a quote', systems: [{ name: 'identity', keyUrl: '/k",IV=0x0' }] },
    { what: 'a URL with a line break', systems: [{ name: 'identity', keyUrl: '/k\n#EXT-X-ENDLIST' }] },
  ])('are rejected for $what', ({ systems }) => {
    expect(() => hlsKeys({ scheme: 'cenc', kid }, systems).map(writeKeyAttributes)).toThrow('Expected');
  });
});

describe('ContentProtection elements', () => {
  const systems: KeySystem[] = [
    { name: 'clearKey', licenceUrl: 'https://l/?a=1&b=2' },
    { name: 'widevine', pssh: widevine },
    { name: 'playReady', pssh: playReady },
    { name: 'fairPlay', keyUri: 'skd://v1' },
    { name: 'identity', keyUrl: '/k' },
  ];
  const written = writeContentProtection({ scheme: 'cbcs', kid }, systems);
  const elements = written.map((text) => parseXml(text));

  test('list the scheme with its key id first, then each system, the common one last', () => {
    expect(elements.map((it) => [it.attributes.get('schemeIdUri'), it.attributes.get('value')])).toEqual([
      ['urn:mpeg:dash:mp4protection:2011', 'cbcs'],
      ['urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e', 'ClearKey1.0'],
      ['urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed', 'Widevine'],
      ['urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95', 'MSPR 2.0'],
      ['urn:uuid:1077efec-c0b2-4d02-ace3-3c1e52e2fb4b', undefined],
    ]);
    expect(elements[0]?.attributes.get('cenc:default_KID')).toBe(kid);
  });

  test('contain the headers and the licence URL', () => {
    const contents = elements.map((it) => it.children.map((child) => [child.namespace, child.name, child.content]));
    const cenc = 'urn:mpeg:cenc:2013';
    expect(contents).toEqual([
      [],
      [['https://dashif.org/CPS', 'Laurl', 'https://l/?a=1&b=2']],
      [[cenc, 'pssh', widevine.toString('base64')]],
      [
        [cenc, 'pssh', playReady.toString('base64')],
        ['urn:microsoft:playready', 'pro', 'cHJv'],
      ],
      [[cenc, 'pssh', writeCommonPssh([kid]).toString('base64')]],
    ]);
  });
});

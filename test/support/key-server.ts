import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Guid, parseGuid } from '../../src/lib/guid.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { childElements, parseXml, type XmlElement } from '../../src/lib/parse-xml.ts';
import { kidBytes } from '../../src/media/drm/keys/content-keys.ts';
import { SYSTEM_IDS } from '../../src/media/drm/keys/pssh.ts';

/** Handles a request to the key server. `document` is its body. */
export type KeyScript = (request: IncomingMessage, response: ServerResponse, document: string) => void;

/** A key server that implements SPEKE v2, or runs a test's script, and records its requests. */
export type KeyServer = {
  url: string;
  seen: { headers: IncomingMessage['headers']; document: string }[];
  script(next: KeyScript): void;
  stop(): Promise<void>;
};

const CPIX = 'urn:dashif:org:cpix';
const PSKC = 'urn:ietf:params:xml:ns:keyprov:pskc';

export async function startKeyServer(): Promise<KeyServer> {
  let script: KeyScript = answerKeys;
  const seen: KeyServer['seen'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const document = Buffer.concat(chunks).toString();
      seen.push({ headers: request.headers, document });
      script(request, response, document);
    });
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}/speke`,
    seen,
    script: (next) => {
      script = next;
    },
    stop: () => closeServer(server, 0),
  };
}

/** Returns this server's key for an id: the bytes of the id, reversed. */
export function keyOf(kid: Guid): Buffer {
  return Buffer.from(kidBytes(kid)).reverse();
}

/** Responds with each requested key and the usual data of each system. */
export const answerKeys: KeyScript = (_request, response, document) => {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(writeAnswer(parseXml(document)));
};

function writeAnswer(root: XmlElement): string {
  const inList = (list: string, name: string) =>
    childElements(root, CPIX, list).flatMap((element) => childElements(element, CPIX, name));
  const keys = inList('ContentKeyList', 'ContentKey').map((key) => {
    const kid = guidOf(key, 'kid');
    const value = keyOf(kid).toString('base64');
    const secret = `<Data><pskc:Secret><pskc:PlainValue>${value}</pskc:PlainValue></pskc:Secret></Data>`;
    return `<ContentKey kid="${kid}">${secret}</ContentKey>`;
  });
  const systems = inList('DRMSystemList', 'DRMSystem').map((system) => {
    const [kid, systemId] = [guidOf(system, 'kid'), guidOf(system, 'systemId')];
    return `<DRMSystem kid="${kid}" systemId="${systemId}">${writeSignals(kid, systemId)}</DRMSystem>`;
  });
  const list = (name: string, content: readonly string[]) => `<${name}>${content.join('')}</${name}>`;
  const head = `<CPIX contentId="${root.attributes.get('contentId')}" xmlns="${CPIX}" xmlns:pskc="${PSKC}">`;
  return `${head}${list('ContentKeyList', keys)}${list('DRMSystemList', systems)}</CPIX>`;
}

function writeSignals(kid: Guid, systemId: Guid): string {
  const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
  if (systemId === SYSTEM_IDS.fairPlay) {
    const format = 'KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"';
    const line = `METHOD=SAMPLE-AES,URI="skd://keys/${kid}",${format}`;
    const media = `<HLSSignalingData playlist="media">${base64(`#EXT-X-KEY:${line}`)}</HLSSignalingData>`;
    return `${media}<HLSSignalingData playlist="master">${base64(`#EXT-X-SESSION-KEY:${line}`)}</HLSSignalingData>`;
  }
  const box = writePssh(systemId, Buffer.from(`header of ${kid}`));
  const inner = `<pssh xmlns="urn:mpeg:cenc:2013">${box.toString('base64')}</pssh>`;
  // For PlayReady, the server sends only the pssh box. The service derives the manifest data from it.
  const said =
    systemId === SYSTEM_IDS.widevine ? `<ContentProtectionData>${base64(inner)}</ContentProtectionData>` : '';
  return `<PSSH>${box.toString('base64')}</PSSH>${said}`;
}

function writePssh(systemId: Guid, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(32 + data.length, 0);
  head.write('pssh', 4, 'latin1');
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  return Buffer.concat([head, kidBytes(systemId), size, data]);
}

function guidOf({ attributes }: XmlElement, name: string): Guid {
  const guid = parseGuid(attributes.get(name) ?? '');
  if (guid === null) throw new Error(`Expected a GUID in ${name} of the request.`);
  return guid;
}

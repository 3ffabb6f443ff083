import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encode } from '../support/media/read-test-media.ts';

/** An ad server at another origin. `requests` are the paths that were requested from it. */
export type AdServer = { base: string; requests: string[]; close(): void };

const AD_SEC = 4;

export async function openAdServer(): Promise<AdServer> {
  const [clip, large] = await Promise.all([encodeFilm('color=0x2a6f97'), encodeFilm('testsrc2=sar=1')]);
  const requests: string[] = [];
  let base = '';
  const server = createServer(({ url = '' }, response) => {
    requests.push(url);
    response.setHeader('access-control-allow-origin', '*');
    if (url === '/silent') return;
    if (url === '/wrapped') response.setHeader('content-type', 'text/xml').end(wrapper(base));
    else if (url === '/vast') response.setHeader('content-type', 'text/xml').end(inline(base));
    else if (url === '/hanging') response.setHeader('content-type', 'text/xml').write('<VAST version="3.0">');
    else if (url === '/stalling') response.setHeader('content-type', 'text/xml').end(inline(base, 'stalls'));
    else if (url === '/stalls.mp4')
      response.setHeader('content-type', 'video/mp4').write(large.subarray(0, 0.6 * large.length));
    else if (url === '/ad.mp4') response.setHeader('content-type', 'video/mp4').end(clip);
    else if (url.startsWith('/seen/')) response.writeHead(204).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://localhost:${(server.address() as AddressInfo).port}`; // The server listens on a port.
  return { base, requests, close: () => void server.close() };
}

/** Encodes an advertisement with fragments of one second. */
function encodeFilm(source: string): Promise<Buffer> {
  const input = ['-f', 'lavfi', '-i', `${source}:s=320x180:r=24:d=${AD_SEC}`, '-pix_fmt', 'yuv420p'];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '24'];
  return encode([...input, ...video, '-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov']);
}

const wrapper = (base: string) => `<VAST version="3.0"><Ad id="w"><Wrapper><AdSystem>Test</AdSystem>
<VASTAdTagURI><![CDATA[${base}/vast]]></VASTAdTagURI>
<Impression><![CDATA[${base}/seen/wrapper]]></Impression><Creatives/></Wrapper></Ad></VAST>`;

const tracking = (base: string, name: string) =>
  `<Tracking event="${name}"><![CDATA[${base}/seen/${name}]]></Tracking>`;
const inline = (
  base: string,
  film = 'ad',
) => `<VAST version="3.0"><Ad id="a"><InLine><AdSystem>Test</AdSystem><AdTitle>A</AdTitle>
<Impression><![CDATA[${base}/seen/impression-${film}]]></Impression><Creatives><Creative><Linear skipoffset="00:00:01">
<Duration>00:00:0${AD_SEC}</Duration><TrackingEvents>
${['start', 'midpoint', 'complete', 'skip'].map((name) => tracking(base, name)).join('')}
</TrackingEvents><VideoClicks><ClickThrough><![CDATA[${base}/advertiser]]></ClickThrough></VideoClicks>
<MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="320" height="180" bitrate="100">
<![CDATA[${base}/${film}.mp4]]></MediaFile>
</MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`;

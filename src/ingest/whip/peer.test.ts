import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PeerConnection, Video } from 'node-datachannel';
import { expect, test } from 'vitest';
import { addPublicHost, openPeers } from './peer.ts';

const EXCHANGE_MS = 50;
const LOOPBACK = { bindAddress: '127.0.0.1', iceServers: [] };

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, LOOPBACK.bindAddress);
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

/** Opens a publisher, and resolves with its SDP answer when it is connected. */
async function connect(peers: Awaited<ReturnType<typeof openPeers>>) {
  const publisher = new PeerConnection('publisher', { ...LOOPBACK, iceServers: [], forceMediaTransport: true });
  const video = new Video('0', 'SendOnly');
  video.addH264Codec(102);
  const track = publisher.addTrack(video);
  const { promise: gathered, resolve } = Promise.withResolvers<string>();
  publisher.onGatheringStateChange((state) => {
    if (state === 'complete') resolve(publisher.localDescription()?.sdp ?? '');
  });
  publisher.setLocalDescription();
  const connected = Promise.withResolvers<void>();
  const events = {
    message: () => undefined,
    connected: () => connected.resolve(),
    closed: (reason: string) => connected.reject(new Error(reason)),
  };
  const offer = await gathered;
  // Offers and answers travel by HTTP. Without a pause, libdatachannel at times fails in its own thread.
  await sleep(EXCHANGE_MS);
  const peer = await peers.open(offer, events, new AbortController().signal);
  await sleep(EXCHANGE_MS);
  publisher.setRemoteDescription(peer.answer, 'answer');
  await connected.promise;
  return {
    answer: peer.answer,
    close: () => {
      track.close();
      publisher.close();
      peer.close();
    },
  };
}

const portsOf = (sdp: string) =>
  [...sdp.matchAll(/^a=candidate:\S+ 1 UDP \d+ \S+ (\d+)/gim)].map(([, port]) => Number(port));

test('several publishers share one UDP port', async () => {
  const udpPort = await freeUdpPort();
  const peers = await openPeers({ ...LOOPBACK, udpPort, publicHost: null });
  const publishers = [await connect(peers), await connect(peers)];
  for (const { answer } of publishers) expect(new Set(portsOf(answer))).toEqual(new Set([udpPort]));
  for (const { close } of publishers) close();
  peers.close();
});

test('offers the public address of a container with the port and priority of the container address', async () => {
  const own = 'a=candidate:1 1 UDP 2122317823 172.17.0.2 8892 typ host\r\n';
  const sdp = `v=0\r\nm=audio 9 RTP 111\r\n${own}a=end-of-candidates\r\nm=video 9 RTP 102\r\na=mid:1\r\n`;
  const added = 'a=candidate:public0 1 UDP 2122317823 192.0.2.1 8892 typ host\r\n';
  const addresses = [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
    { address: '172.17.0.2', family: 4 },
  ];
  expect(addPublicHost(sdp, addresses)).toBe(sdp.replace(own, added + own));
  expect(addPublicHost(sdp, [])).toBe(sdp);
});

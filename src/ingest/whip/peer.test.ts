import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { PeerConnection, Video } from 'node-datachannel';
import { expect, onTestFinished, test } from 'vitest';
import { addPublicHost, openPeers } from './peer.ts';

/** Content type of DTLS handshake records (RFC 6347, section 4.3.1). */
const DTLS_HANDSHAKE = 22;
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
  const relay = await openRelay();
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
  const peer = await peers.open(relay.redirect(await gathered), events, new AbortController().signal);
  await relay.greeted;
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

/**
 * Opens a relay between a peer and a publisher, whose offer `redirect` sends through it. `greeted` resolves when the
 * peer has begun the DTLS handshake. A publisher with libdatachannel at times fails if that arrives while it reads the
 * answer ("Handshake failed: fatal I/O error"). Before the answer, it ignores the packet, which the peer repeats.
 */
async function openRelay() {
  const socket = createSocket('udp4').bind(0, LOOPBACK.bindAddress);
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  let [publisherPort, peerPort] = [0, 0];
  const greeted = Promise.withResolvers<void>();
  socket.on('message', (bytes, { port }) => {
    const isFromPeer = port !== publisherPort;
    if (isFromPeer) peerPort = port;
    socket.send(bytes, isFromPeer ? publisherPort : peerPort, LOOPBACK.bindAddress);
    if (isFromPeer && bytes[0] === DTLS_HANDSHAKE) greeted.resolve();
  });
  return {
    greeted: greeted.promise,
    redirect(sdp: string): string {
      [publisherPort = 0] = portsOf(sdp);
      return sdp.replaceAll(` ${publisherPort} typ host`, ` ${socket.address().port} typ host`);
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

test('a UDP port that is in use is not reported as a fault of the offer', async () => {
  const taken = createSocket('udp4').bind(0, LOOPBACK.bindAddress);
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const peers = await openPeers({ ...LOOPBACK, udpPort: taken.address().port, publicHost: null });
  onTestFinished(() => peers.close());
  await expect(connect(peers)).rejects.toMatchObject({ kind: 'unavailable' });
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

import { Refused } from '../../lib/refused.ts';

type Native = typeof import('node-datachannel');
type NativePeer = InstanceType<Native['PeerConnection']>;
type NativeTrack = Parameters<Parameters<NativePeer['onTrack']>[0]>[0];

export type PeerEvents = {
  /** Called for each RTP or RTCP packet. */
  message(bytes: Buffer): void;
  connected(): void;
  /** Called once when the connection has ended. */
  closed(reason: string): void;
};

/** A WebRTC connection to a sender. */
export type Peer = {
  /** SDP answer with all local candidates. */
  readonly answer: string;
  addCandidate(candidate: string, mid: string): void;
  /** Sends RTCP on the transport shared by all tracks. */
  send(message: Buffer): void;
  close(): void;
};

export type OpenPeer = (offer: string, events: PeerEvents, signal: AbortSignal) => Promise<Peer>;

/** Maximum time that an SDP answer waits for candidates from a STUN server, in ms. */
const GATHER_MS = 1_500;

/** Opens the optional package node-datachannel. Throws if it is missing. `close` stops its threads. */
export async function openPeers(config: {
  bindAddress: string | null;
  iceServers: readonly string[];
}): Promise<{ open: OpenPeer; close(): void }> {
  const native = await import('node-datachannel');
  native.initLogger('Fatal', () => undefined);
  return {
    open: (offer, events, signal) => openPeer(native, config, { offer, events, signal }),
    close: () => native.cleanup(),
  };
}

async function openPeer(
  { PeerConnection }: Native,
  { bindAddress, iceServers }: { bindAddress: string | null; iceServers: readonly string[] },
  { offer, events, signal }: { offer: string; events: PeerEvents; signal: AbortSignal },
): Promise<Peer> {
  const peer = new PeerConnection('whip', {
    iceServers: [...iceServers],
    ...(bindAddress !== null && { bindAddress }),
    forceMediaTransport: true,
  });
  const tracks: NativeTrack[] = [];
  let isClosed = false;
  const close = (reason: string) => {
    if (isClosed) return;
    isClosed = true;
    peer.close();
    events.closed(reason);
  };
  peer.onTrack((track) => {
    tracks.push(track);
    track.onMessage((bytes) => {
      if (!isClosed) events.message(bytes);
    });
  });
  peer.onStateChange((state) => {
    if (state === 'connected') events.connected();
    if (state === 'failed' || state === 'closed' || state === 'disconnected') close(`the connection is ${state}`);
  });
  try {
    const answer = await answerTo(peer, offer, signal);
    return {
      answer,
      addCandidate(candidate, mid) {
        if (!isClosed) peer.addRemoteCandidate(candidate, mid);
      },
      send(message) {
        const [track] = tracks;
        if (!isClosed && track?.isOpen() === true) track.sendMessageBinary(message);
      },
      close: () => close('the session was ended'),
    };
  } catch (error) {
    isClosed = true;
    peer.close();
    throw error;
  }
}

function answerTo(peer: NativePeer, offer: string, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    const answer = peer.localDescription();
    if (answer !== null) resolve(answer.sdp);
    else reject(new Error('Expected an SDP answer within 1.5 s, got none.'));
  }, GATHER_MS);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  peer.onGatheringStateChange((state) => {
    const answer = peer.localDescription();
    if (state === 'complete' && answer !== null) resolve(answer.sdp);
  });
  try {
    peer.setRemoteDescription(offer, 'offer');
  } catch (error) {
    reject(
      new Refused(
        'invalid',
        `Expected an SDP offer, got something else: ${error instanceof Error ? error.message : error}. ` +
          'Send the offer of a peer.',
      ),
    );
  }
  return promise.finally(() => clearTimeout(timer));
}

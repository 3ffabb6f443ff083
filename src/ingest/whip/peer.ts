import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { logEvent } from '../../lib/log/log-event.ts';
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

/** Maximum time for which an SDP answer waits for candidates from a STUN server, in ms. */
const GATHER_MS = 1_500;
/** Maximum time for which an SDP answer waits for the addresses of the public host, in ms. */
const RESOLVE_MS = 500;

export type PeerConfig = {
  /** Address on which to listen. Null means all addresses of this machine. */
  bindAddress: string | null;
  iceServers: readonly string[];
  /** UDP port for the media of all publishers. 0 means any free port for each publisher. */
  udpPort: number;
  /**
   * Host at which publishers reach this machine, such as from outside a container. Null means the addresses of this
   * machine.
   */
  publicHost: string | null;
};

/** Opens the optional package node-datachannel. Throws if it is missing. `close` stops its threads. */
export async function openPeers(config: PeerConfig): Promise<{ open: OpenPeer; close(): void }> {
  const native = await import('node-datachannel');
  native.initLogger('Fatal', () => undefined);
  return {
    open: (offer, events, signal) => openPeer(native, config, { offer, events, signal }),
    close: () => native.cleanup(),
  };
}

async function openPeer(
  { PeerConnection }: Native,
  { bindAddress, iceServers, udpPort, publicHost }: PeerConfig,
  { offer, events, signal }: { offer: string; events: PeerEvents; signal: AbortSignal },
): Promise<Peer> {
  const peer = new PeerConnection('whip', {
    iceServers: [...iceServers],
    ...(bindAddress !== null && { bindAddress }),
    ...(udpPort > 0 && { enableIceUdpMux: true, portRangeBegin: udpPort, portRangeEnd: udpPort }),
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
      answer: publicHost === null ? answer : addPublicHost(answer, await soonAddressesOf(publicHost)),
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
    reject(refusalOf(error));
  }
  return promise.finally(() => clearTimeout(timer));
}

/** Errors of libdatachannel that do not concern the offer, such as a UDP port that is in use. */
const OWN_FAULT = /ICE (candidates|transport)/;

function refusalOf(error: unknown): Refused {
  const message = error instanceof Error ? error.message : String(error);
  if (OWN_FAULT.test(message)) {
    return new Refused('unavailable', `No connection is possible now: ${message}. Send the offer again.`, {
      cause: error,
    });
  }
  return new Refused(
    'invalid',
    `Expected an SDP offer, got something else: ${message}. Send the SDP offer of the publisher.`,
  );
}

type Address = { address: string; family: number };

/** Returns the addresses of a host, or none if the resolver takes too long. */
async function soonAddressesOf(host: string): Promise<Address[]> {
  return await Promise.race([addressesOf(host), sleep<Address[]>(RESOLVE_MS, [], { ref: false })]);
}

/**
 * Returns the addresses of a host. Returns none if the name cannot be resolved, because the other candidates may be
 * sufficient.
 */
async function addressesOf(host: string): Promise<Address[]> {
  try {
    return await lookup(host, { all: true });
  } catch (error) {
    logEvent('live.failed', { err: new Error(`The host ${host} of publishers has no address.`, { cause: error }) });
    return [];
  }
}

/**
 * Adds the addresses of a public host to each media description of an SDP answer, as candidates with the port and
 * priority of the first own candidate of their family.
 */
export function addPublicHost(sdp: string, addresses: readonly Address[]): string {
  return sdp
    .split(/(?=^m=)/m)
    .map((section) => {
      const own = [...section.matchAll(/^a=candidate:\S+ 1 UDP (\d+) (\S+) (\d+) typ host/gim)];
      const added = addresses.flatMap(({ address, family }, index) => {
        const alike = own.find(([, , known = '']) => isIP(known) === family);
        if (alike === undefined || own.some(([, , known]) => known === address)) return [];
        return [`a=candidate:public${index} 1 UDP ${alike[1]} ${address} ${alike[3]} typ host\r\n`];
      });
      const before = own[0]?.index ?? section.length;
      return section.slice(0, before) + added.join('') + section.slice(before);
    })
    .join('');
}

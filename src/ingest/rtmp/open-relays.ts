import type { RelayRequest } from '../../catalog/live/live-stream.ts';
import type { AddressRules } from '../../lib/outbound/address-rules.ts';
import type { FlvTag } from '../../media/live/flv/flv-tag.ts';
import { readRelayTarget } from './relay-target.ts';
import { RtmpRelay } from './rtmp-relay.ts';

/** The receivers of one publisher's media. */
export type Relays = { push(tag: FlvTag): void; close(): void };

const MOST_RELAYS = 5;

/** Starts a relay to each receiver that a stream names; what is no address of RTMP is reported and left out. */
export function openRelays(
  requests: readonly RelayRequest[],
  deps: { rules: AddressRules; report(error: Error): void },
): Relays {
  const relays = requests.slice(0, MOST_RELAYS).flatMap((request) => {
    const target = readRelayTarget(request);
    if (target === null) deps.report(new Error('Expected a relay at an address of RTMP, got another one.'));
    return target === null ? [] : [new RtmpRelay(target, deps)];
  });
  return {
    push(tag) {
      for (const relay of relays) relay.push(tag);
    },
    close() {
      for (const relay of relays) relay.close();
    },
  };
}

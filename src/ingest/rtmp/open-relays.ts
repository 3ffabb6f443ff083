import type { RelayRequest, RelayState } from '../../catalog/live/live-stream.ts';
import type { AddressRules } from '../../lib/outbound/address-rules.ts';
import type { FlvTag } from '../../media/live/flv/flv-tag.ts';
import { readRelayTarget } from './relay-target.ts';
import { RtmpRelay } from './rtmp-relay.ts';

/** Relays of one publisher's media. */
export type Relays = { push(tag: FlvTag): void; states(): readonly RelayState[]; close(): void };

const MAX_RELAYS = 5;

/** Starts a relay to each receiver configured for a stream. Reports and skips invalid RTMP URLs. */
export function openRelays(
  requests: readonly RelayRequest[],
  deps: { rules: AddressRules; report(error: Error): void },
): Relays {
  const refused: RelayState[] = [];
  const relays = requests.slice(0, MAX_RELAYS).flatMap((request) => {
    const target = readRelayTarget(request);
    if (target !== null) return [new RtmpRelay(target, deps)];
    const reason = 'Expected a URL such as rtmp://host/app/key, got something else. Correct the URL of the relay.';
    deps.report(new Error(reason));
    refused.push({ host: '', state: 'failed', reason });
    return [];
  });
  return {
    push(tag) {
      for (const relay of relays) relay.push(tag);
    },
    states: () => [...relays.map(({ state }) => state), ...refused],
    close() {
      for (const relay of relays) relay.close();
    },
  };
}

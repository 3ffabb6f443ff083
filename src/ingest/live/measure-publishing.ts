import { metrics, onCollect } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';
import type { MediaInput, Publish } from '../../media/live/publishing/publisher.ts';
import type { LivePublisher } from './live-publisher.ts';

/** Wraps `publish` to count publishers, their media, and refusals by kind. */
export function measurePublishing(publish: Publish): Publish {
  return async (request) => {
    const { protocol } = request;
    try {
      const input = await publish(request);
      metrics.livePublishes.inc({ protocol, result: 'accepted' });
      return measureInput(input, protocol);
    } catch (error) {
      metrics.livePublishes.inc({ protocol, result: error instanceof Refused ? error.kind : 'failed' });
      throw error;
    }
  };
}

type Measured = { publishers: readonly Pick<LivePublisher, 'lastMediaMs' | 'relayStates'>[] };

/** Sets the gauges for the streams of this process at each scrape, until the returned function is called. */
export function collectStreams(streams: ReadonlyMap<unknown, Measured>): () => Promise<void> {
  const stop = onCollect(() => {
    const publishers = [...streams.values()].flatMap((stream) => stream.publishers);
    const lastMs = publishers.flatMap(({ lastMediaMs }) => lastMediaMs ?? []);
    metrics.liveOwned.set(streams.size);
    metrics.liveLag.set(lastMs.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...lastMs)) / 1000);
    const relays = publishers.flatMap(({ relayStates }) => relayStates());
    for (const state of ['connecting', 'running', 'failed'] as const) {
      metrics.liveRelays.set({ state }, relays.filter((relay) => relay.state === state).length);
    }
  });
  return async () => stop();
}

function measureInput(input: MediaInput, protocol: string): MediaInput {
  let isOpen = true;
  metrics.livePublishers.inc({ protocol });
  return {
    ...input,
    push(event, wireBytes) {
      metrics.liveBytes.inc({ protocol }, wireBytes);
      input.push(event, wireBytes);
    },
    end(reason, by) {
      if (isOpen) metrics.livePublishers.dec({ protocol });
      isOpen = false;
      input.end(reason, by);
    },
  };
}

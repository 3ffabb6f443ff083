import { metrics } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';
import type { MediaInput, Publish } from '../../media/live/publishing/publisher.ts';

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

function measureInput(input: MediaInput, protocol: string): MediaInput {
  let isOpen = true;
  metrics.livePublishers.inc({ protocol });
  return {
    ...input,
    push(event, wireBytes) {
      metrics.liveBytes.inc({ protocol }, wireBytes);
      input.push(event, wireBytes);
    },
    end(reason) {
      if (isOpen) metrics.livePublishers.dec({ protocol });
      isOpen = false;
      input.end(reason);
    },
  };
}

import type { Guid } from '../../../lib/guid.ts';
import type { Delivered, Delivery } from '../sums/view-evidence-store.ts';

/** Media delivered to viewers since the last write, summed up by viewer. */
export type DeliveryBuffer = {
  add(delivery: Delivery): void;
  /**
   * Writes the buffered deliveries. Those that cannot be written are kept for the next call. Throws the database's
   * errors.
   */
  write(): Promise<void>;
};

/** Maximum viewers buffered while the database is down; the oldest is dropped first. */
const MAX_VIEWERS = 50_000;

export function openDeliveryBuffer(keep: (deliveries: readonly Delivered[]) => Promise<void>): DeliveryBuffer {
  let waiting = new Map<Guid, Delivered>();
  const add = ({ viewerId, deliveredMs, passes }: Delivery, firstMs = Date.now()) => {
    const known = waiting.get(viewerId);
    const [oldest] = waiting.keys();
    if (known === undefined && waiting.size >= MAX_VIEWERS && oldest !== undefined) waiting.delete(oldest);
    waiting.set(viewerId, {
      viewerId,
      deliveredMs: (known?.deliveredMs ?? 0) + deliveredMs,
      passes: Math.max(known?.passes ?? 0, passes),
      firstMs: Math.min(known?.firstMs ?? firstMs, firstMs),
    });
  };
  return {
    add: (delivery) => add(delivery),
    async write() {
      if (waiting.size === 0) return;
      const batch = waiting;
      waiting = new Map();
      try {
        await keep([...batch.values()]);
      } catch (error) {
        for (const delivery of batch.values()) add(delivery, delivery.firstMs);
        throw error;
      }
    },
  };
}

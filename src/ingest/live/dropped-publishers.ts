import type { LadderState } from '../../catalog/live/live-stream.ts';
import type { Slot } from '../../media/live/publishing/publisher.ts';
import type { LivePublisher } from './live-publisher.ts';

/**
 * Reasons why the last publisher of each slot is missing, or why its media was not shown, until another one connects.
 */
export class DroppedPublishers {
  readonly #reasons = new Map<Slot, string>();

  /**
   * Returns the state of the rungs, with the reasons for media that is not shown and for missing publishers. Returns
   * null before the first media. `publisher` is the active one, or null if none is connected.
   */
  explain(ladder: LadderState | null, publisher: LivePublisher | null): LadderState | null {
    const reasons = [...(publisher?.reasons ?? []), ...this.#reasons.values()];
    const reason = reasons.length === 0 ? null : reasons.join(' ');
    if (publisher === null) return { kind: reason === null ? 'idle' : 'refused', reason, rungs: [] };
    if (reason === null) return ladder;
    const known = ladder ?? { kind: 'none', reason: null, rungs: [] };
    return { ...known, reason: known.reason === null ? reason : `${known.reason} ${reason}` };
  }

  /** `dropped`: why this process ended the connection, or null if the publisher did. */
  note({ slot, reasons }: Pick<LivePublisher, 'slot' | 'reasons'>, dropped: string | null): void {
    const name = slot === 'backup' ? 'backup encoder' : 'encoder';
    if (dropped === null) {
      if (reasons.length > 0) this.#reasons.set(slot, [`The ${name} disconnected.`, ...reasons].join(' '));
      return;
    }
    // The reason may already be among those for damaged media.
    const others = reasons.filter((one) => !one.includes(dropped));
    this.#reasons.set(slot, [`The ${name} was disconnected. ${dropped}`, ...others].join(' '));
  }

  forget({ slot }: LivePublisher): void {
    this.#reasons.delete(slot);
  }
}

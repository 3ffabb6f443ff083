import { onDemandIncompatibleMessage } from '../../catalog/lifecycle/messages.ts';
import type { MediaMessage } from '../../catalog/schema.ts';
import { indexedKeyframeGapSec, whyNotOnDemand } from '../../media/on-demand/judge-on-demand.ts';
import { readKeyframeGapSec } from '../../media/on-demand/read-keyframe-gap.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { IndexedSource } from '../encode/read-pass-through.ts';
import type { EncodeSettings } from './encode-settings.ts';

type OnDemandDecision = { isOnDemand: boolean; messages: readonly MediaMessage[] };

/**
 * Decides whether a probed source is encoded on demand. If that was requested but is not possible, the messages give
 * the reason.
 */
export async function decideOnDemand(
  request: EncodeSettings['onDemand'],
  source: { path: string; facts: SourceFacts; indexed: IndexedSource | null },
  signal: AbortSignal,
): Promise<OnDemandDecision> {
  if (request === 'no') return { isOnDemand: false, messages: [] };
  const reason = request === 'refused' ? 'its library is not on the premium tier' : await findObstacle(source, signal);
  return reason === null
    ? { isOnDemand: true, messages: [] }
    : { isOnDemand: false, messages: [onDemandIncompatibleMessage(reason, new Date())] };
}

async function findObstacle(
  { path, facts, indexed }: { path: string; facts: SourceFacts; indexed: IndexedSource | null },
  signal: AbortSignal,
): Promise<string | null> {
  const plain = whyNotOnDemand(facts, 0);
  if (plain !== null) return plain;
  const gapSec =
    indexed === null ? await readKeyframeGapSec(path, facts, signal) : indexedKeyframeGapSec(indexed.index);
  return whyNotOnDemand(facts, gapSec);
}

import type { LadderState } from '../../catalog/live/live-stream.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import { LiveStreamStatusModel } from '../models/live-stream.ts';
import { durationSecOf, LiveParams } from './live-model.ts';

/** Publishing status of a stream, as its ingest process reported it within the last second. */
export const getLiveStatus = defineOperation({
  name: 'getLiveStatus',
  method: 'GET',
  path: '/library/{libraryId}/live/{streamId}/status',
  description:
    'Returns whether a publisher is connected and whether the stream can be started. Its ingest process reports ' +
    'this every second.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LiveParams,
  answer: LiveStreamStatusModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, streamId } }, { live }: { live: LiveStore }) {
    const view = await live.load({ libraryId, mediaId: streamId });
    const { primaryLive, backupLive, msSinceMedia } = view.ingest;
    return {
      readyToStart: (primaryLive || backupLive) && ['created', 'scheduled', 'preview'].includes(view.stream.state),
      primaryLive,
      backupLive,
      lastPingAgo: msSinceMedia,
      duration: durationSecOf(view, Date.now()),
      statusTimeUtc: wireTime(new Date()),
      transcoding: transcodingOf(view.ingest.ladder),
      relays: view.ingest.relays.map((relay) => ({ ...relay })),
    };
  },
});

function transcodingOf(ladder: LadderState | null) {
  if (ladder === null) return null;
  const { kind, reason, rungs } = ladder;
  // The model has no state for a refused publisher. The reason explains it.
  const state = kind === 'refused' ? 'idle' : kind;
  return { state, reason, resolutions: rungs.map((rung) => `${rung}p`).join(',') } as const;
}

import { Type } from 'typebox';
import type { BitrateSample } from '../../catalog/live/live-stream.ts';
import type { LiveReportStore } from '../../catalog/live/streams/live-report-store.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { defineOperation } from '../define-operation.ts';
import { maybe, requireOrder } from '../read-query.ts';
import { LiveParams } from './live-model.ts';

/** Bitrates of a stream, one sample per second, as JSON sent as bytes, because the API defines no model. */
export const getBitrateHistory = defineOperation({
  name: 'getBitrateHistory',
  method: 'GET',
  path: '/library/{libraryId}/live/{streamId}/bitrate-history',
  description:
    'Returns the bitrates of the publisher in bits per second, one sample per second between `startTime` and ' +
    '`endTime`.',
  auth: 'none',
  permission: 'public',
  params: LiveParams,
  query: Type.Object({ startTime: maybe.dateTime(), endTime: maybe.dateTime() }),
  answer: 'bytes',
  async run({ params: { libraryId, streamId }, query }, { liveReports }: { liveReports: LiveReportStore }) {
    requireOrder(query, 'startTime', 'endTime');
    const range = { from: timeOf(query.startTime), to: timeOf(query.endTime) };
    const samples = await liveReports.bitrates({ libraryId, mediaId: streamId }, range);
    return Buffer.from(JSON.stringify(samples.map(toSampleModel)));
  },
});

/** The latest sample; zeros while nothing is published. */
export const getCurrentBitrate = defineOperation({
  name: 'getCurrentBitrate',
  method: 'GET',
  path: '/library/{libraryId}/live/{streamId}/current-bitrate',
  description:
    'Returns the current bitrates of the publisher in bits per second. They are 0 while no publisher is connected.',
  auth: 'none',
  permission: 'public',
  params: LiveParams,
  answer: 'bytes',
  async run({ params: { libraryId, streamId } }, { live }: { live: LiveStore }) {
    const { ingest } = await live.load({ libraryId, mediaId: streamId });
    const isLive = ingest.primaryLive || ingest.backupLive;
    const silence = { atMs: Date.now(), bitrateBps: 0, videoBps: 0, audioBps: 0, fps: 0 };
    return Buffer.from(JSON.stringify(toSampleModel((isLive ? ingest.bitrate : null) ?? silence)));
  },
});

function timeOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

function toSampleModel({ atMs, bitrateBps, videoBps, audioBps, fps }: BitrateSample) {
  return {
    timestamp: new Date(atMs).toISOString(),
    bitrate: bitrateBps,
    videoBitrate: videoBps,
    audioBitrate: audioBps,
    fps,
  };
}

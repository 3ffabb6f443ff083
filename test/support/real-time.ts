/**
 * Test files that measure real-time playback (stalls, dropped frames, quality at the start), use controls that hide
 * after a few seconds, count frames sent by SRT, which drops late packets, or connect by ICE, which gives up early.
 * They run after all others, so that encoders do not take CPU time from players and publishers.
 */
export const REAL_TIME: readonly string[] = [
  'test/live/gaps.test.ts',
  'test/live/ladder.test.ts',
  'test/delivery/player.test.ts',
  'test/delivery/player-states.test.ts',
  'test/delivery/player-extras.test.ts',
  'test/live/disconnected.test.ts',
  'test/live/interrupted.test.ts',
  'test/live/whip-offers.test.ts',
  'test/live/odd-publishers.test.ts',
  'test/live/rtmp-and-srt.test.ts',
  'test/delivery/drm.test.ts',
  'test/live/whip-and-enhanced.test.ts',
  'test/live/whip-sync.test.ts',
  'test/media/recorded-canvas.test.ts',
  'src/ingest/whip/peer.test.ts',
];

import type { IncomingMessage } from 'node:http';
import { http } from '../../lib/http.ts';
import { createFeedReader, type FeedFrame } from '../../media/live/playlist/feed-message.ts';

export type FeedHandlers = { frame(frame: FeedFrame): void; lost(reason: string): void };

/** Time in ms without any data after which a feed counts as broken. */
const SILENT_MS = 20_000;

/** Opens a stream's feed at the process that owns the stream. Calls `lost` once, unless `close` was called first. */
export function openFeedConnection(url: string, secret: string, handlers: FeedHandlers): { close(): void } {
  let isOver = false;
  const lose = (reason: string) => {
    if (isOver) return;
    isOver = true;
    handlers.lost(reason);
  };
  const requested = http.request(
    url,
    { headers: { Authorization: `Bearer ${secret}` }, timeout: SILENT_MS },
    (response) => {
      read(response, handlers, lose);
    },
  );
  requested.on('error', (error) => lose(error.message));
  requested.on('timeout', () => requested.destroy(new Error('The feed sent no data for 20 s.')));
  requested.end();
  return {
    close() {
      isOver = true;
      requested.destroy();
    },
  };
}

function read(response: IncomingMessage, { frame }: FeedHandlers, lose: (reason: string) => void): void {
  if (response.statusCode !== 200) {
    response.resume();
    lose(`The owner responded with ${response.statusCode}.`);
    return;
  }
  const reader = createFeedReader();
  response.on('data', (chunk: Buffer) => {
    try {
      for (const one of reader.push(chunk)) frame(one);
    } catch (error) {
      response.destroy();
      lose(error instanceof Error ? error.message : String(error));
    }
  });
  response.on('error', (error) => lose(error.message));
  response.on('end', () => lose('The owner ended the feed.'));
}

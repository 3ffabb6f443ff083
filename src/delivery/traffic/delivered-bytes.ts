import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DeliveredTotal } from '../../catalog/statistics/sums/delivered-store.ts';
import { WHOLE_LIBRARY } from '../../catalog/statistics/sums/whole-library.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import type { SendFile } from '../../lib/send-file.ts';

/** Bytes sent per library, media and hour. The totals of this process are saved every few seconds. */
export type DeliveredBytes = {
  /** Counts bytes sent on the connection until the response closes, then calls `sent` with the total. */
  count(response: ServerResponse, of: { libraryId: number; mediaId: Guid | null }, sent: (bytes: number) => void): void;
  /** Returns the bytes sent on a connection so far. */
  sentBytes(socket: Socket): number;
  /** Wraps sendfile to count its bytes, because it bypasses Node's counter. */
  watch(sendFile: SendFile): SendFile;
  close(): Promise<void>;
};

type Total = DeliveredTotal & { isKept: boolean };
type Deps = { keep(totals: readonly DeliveredTotal[]): Promise<void>; keepMs?: number };

const HOUR_MS = 3600_000;
const KEEP_MS = 5_000;
/** Maximum number of media items with separate totals per hour. Further items count only towards their library. */
const MAX_TOTALS = 20_000;
const BATCH = 2_000;
const CLOSE_MS = 2_000;
const LOG_EACH_MS = 60_000;

export function openDeliveredBytes({ keep, keepMs = KEEP_MS }: Deps): DeliveredBytes {
  const totals = new Map<string, Total>();
  const byFile = new WeakMap<Socket, number>();
  let keeping: Promise<void> | null = null;
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  const sentBytes = (socket: Socket) => socket.bytesWritten + (byFile.get(socket) ?? 0);
  const add = (libraryId: number, mediaId: Guid, bytes: number) => {
    const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const key = `${libraryId}/${mediaId}/${hourMs}`;
    const known = totals.get(key);
    if (known !== undefined) Object.assign(known, { bytes: known.bytes + bytes, isKept: false });
    else if (mediaId === WHOLE_LIBRARY || totals.size < MAX_TOTALS) {
      totals.set(key, { libraryId, mediaId, hourMs, bytes, isKept: false });
    }
  };
  const keepAll = async () => {
    const nowMs = Date.now();
    const changed = [...totals.values()].filter(({ isKept }) => !isKept);
    for (let at = 0; at < changed.length; at += BATCH) {
      const batch = changed.slice(at, at + BATCH);
      const written = batch.map(({ isKept: _, ...total }) => total);
      await keep(written);
      // Totals that grew during the write are saved at the next interval.
      for (const [index, total] of batch.entries()) total.isKept = total.bytes === written[index]?.bytes;
    }
    for (const [key, { hourMs, isKept }] of totals) if (isKept && hourMs < nowMs - HOUR_MS) totals.delete(key);
  };
  const warn = (err: unknown) => {
    if (performance.now() - loggedAtMs < LOG_EACH_MS) return;
    loggedAtMs = performance.now();
    logEvent('bytes.unwritten', { err });
  };
  const beat = () => {
    keeping ??= keepAll()
      .catch(warn)
      .finally(() => {
        keeping = null;
      });
    return keeping;
  };
  const timer = setInterval(beat, keepMs);
  timer.unref();
  return {
    count(response, { libraryId, mediaId }, sent) {
      const { socket } = response;
      if (socket === null) return;
      const before = sentBytes(socket);
      response.once('close', () => {
        const bytes = sentBytes(socket) - before;
        if (bytes <= 0) return;
        sent(bytes);
        add(libraryId, WHOLE_LIBRARY, bytes);
        if (mediaId !== null) add(libraryId, mediaId, bytes);
      });
    },
    sentBytes,
    watch: (sendFile) => ({
      ...sendFile,
      send(socket, part) {
        const bytes = sendFile.send(socket, part);
        if (bytes > 0) byFile.set(socket, (byFile.get(socket) ?? 0) + bytes);
        return bytes;
      },
    }),
    async close() {
      clearInterval(timer);
      const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([beat().then(beat), limit]);
    },
  };
}

import { connect, type Socket } from 'node:net';
import type { TestApi } from '../support/api.ts';

/** Creates a video without a file. */
export async function addVideo(api: TestApi): Promise<string> {
  return String(Object((await api.call('POST', '/library/1/videos', { body: { title: 'Upload' } })).body).guid);
}

export function loadRow(api: TestApi, guid: string) {
  return api.database.db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', guid as never)
    .executeTakeFirstOrThrow();
}

/** Returns the number of open uploads. */
export async function countUploads(api: TestApi): Promise<number> {
  return (await api.database.db.selectFrom('upload').selectAll().execute()).length;
}

/** Returns how many times processing of the video was requested. */
export async function countSent(api: TestApi, guid: string): Promise<number> {
  const sent = await api.queue.sent();
  return sent.filter(({ name, payload }) => name === 'process-video' && payload.mediaId === guid).length;
}

/** Opens a connection and sends the head of an upload. The test sends the body. */
export function beginPut(api: TestApi, guid: string, header: string): Socket {
  const socket = connect(api.api.port, '127.0.0.1');
  const head = `PUT /library/1/videos/${guid} HTTP/1.1\r\nHost: x\r\nAccessKey: ${api.first.libraryKey}\r\n`;
  socket.write(`${head}${header}\r\n\r\n`);
  return socket;
}

import { once } from 'node:events';
import { request } from 'node:http';
import { LIBRARY_KEY, type Service } from './service.ts';

/** A PUT that was sent partially. `status` is null if the connection closed without a response. */
export type SlowPut = { answer: Promise<{ status: number | null }>; finish(): void; isWholeSent: boolean };

export type SlowPutOptions = { sendBytes: number; announcesLength: boolean };

/** Begins a PUT of `bytes` and stops before the end. A PUT that is sent completely is ended properly. */
export async function beginPut(
  service: Service,
  guid: string,
  bytes: Buffer,
  { sendBytes, announcesLength }: SlowPutOptions,
): Promise<SlowPut> {
  const length = announcesLength ? { 'Content-Length': bytes.length } : { 'Transfer-Encoding': 'chunked' };
  const outgoing = request(`${service.apiUrl}/library/1/videos/${guid}`, {
    method: 'PUT',
    agent: false,
    headers: { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/octet-stream', ...length },
  });
  const answer = new Promise<{ status: number | null }>((resolve) => {
    outgoing.once('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? null });
    });
    // If the server responds early and closes the connection, the response may still arrive.
    outgoing.once('error', () => undefined);
    outgoing.once('close', () => resolve({ status: null }));
  });
  const isWholeSent = sendBytes >= bytes.length;
  const sent = bytes.subarray(0, sendBytes);
  if (isWholeSent) outgoing.end(sent);
  else if (sent.length === 0) outgoing.flushHeaders();
  else if (!outgoing.write(sent)) await Promise.race([once(outgoing, 'drain'), answer]);
  return { answer, finish: () => outgoing.end(bytes.subarray(sendBytes)), isWholeSent };
}

import type { IncomingMessage } from 'node:http';
import { Refused } from '../lib/refused.ts';

/** Reads a small body. Refuses (`too-large`) more than `maxBytes`; how long it may take is the server's limit. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new Refused('too-large', `Expected a body of at most ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

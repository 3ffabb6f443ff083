import { randomBytes } from 'node:crypto';

const VERSION = 3;
const BLOCK_BYTES = 1536;
/** Total size of C0, C1 and C2 in bytes. */
const CLIENT_BYTES = 1 + 2 * BLOCK_BYTES;

/**
 * Creates the server side of the simple handshake (RTMP 1.0 section 5.2), which every publisher accepts. `push` returns
 * the reply and, after C2, the bytes that follow. It throws if the version is not 3.
 */
export function createHandshake(): { push(bytes: Buffer): { reply: Buffer | null; rest: Buffer | null } } {
  let gathered: Buffer = Buffer.alloc(0);
  let hasReplied = false;
  return {
    push(bytes) {
      gathered = Buffer.concat([gathered, bytes]);
      const version = gathered[0];
      if (version !== undefined && version !== VERSION) throw new Error(`Expected RTMP version 3, got ${version}.`);
      let reply: Buffer | null = null;
      if (!hasReplied && gathered.length >= 1 + BLOCK_BYTES) {
        hasReplied = true;
        const clientBlock = gathered.subarray(1, 1 + BLOCK_BYTES);
        const ownBlock = Buffer.concat([Buffer.alloc(8), randomBytes(BLOCK_BYTES - 8)]);
        reply = Buffer.concat([Buffer.from([VERSION]), ownBlock, clientBlock]);
      }
      const rest = gathered.length >= CLIENT_BYTES ? gathered.subarray(CLIENT_BYTES) : null;
      return { reply, rest };
    },
  };
}

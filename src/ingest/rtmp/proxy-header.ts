import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Bytes that begin a header of version 2 (HAProxy's PROXY protocol, section 2.2). */
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const HEAD_BYTES = 16;
const VERSION = 2;
/** Commands of a proxy: it connects on its own account, such as for a health check, or for a client. */
const [LOCAL, PROXY] = [0, 1];
/** Family and transport of a client, with the length of its address in bytes. Others have no address here. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 17: 4, 33: 16 };
/** Source and destination ports. */
const PORTS_BYTES = 4;
/** Maximum bytes after the head: the addresses and the fields that a proxy may add, such as a certificate. */
const MAX_REST_BYTES = 4_096;
/** Maximum time until the header is complete, in ms. */
const HEADER_MS = 5_000;

/** Thrown for a connection that does not begin with a valid header in time. */
export class BadProxyHeader extends Error {}

/**
 * Reads the header of the PROXY protocol v2 from a connection of a proxy, and leaves the bytes after it. Returns the
 * address of the client, or null if the proxy connects on its own account or does not know the address. Throws
 * BadProxyHeader.
 */
export async function readProxyHeader(socket: Socket): Promise<string | null> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), HEADER_MS);
  try {
    const head = await take(socket, HEAD_BYTES, late.signal);
    const { command, addressBytes, restBytes } = parseHead(head);
    const rest = restBytes === 0 ? Buffer.alloc(0) : await take(socket, restBytes, late.signal);
    if (command === LOCAL || addressBytes === null) return null;
    return ipaddr.process(ipaddr.fromByteArray([...rest.subarray(0, addressBytes)]).toString()).toString();
  } finally {
    clearTimeout(timer);
  }
}

type Head = { command: number; addressBytes: number | null; restBytes: number };

function parseHead(head: Buffer): Head {
  if (!head.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw new BadProxyHeader('Expected a header of the PROXY protocol v2, got other bytes. Enable it in the proxy.');
  }
  const [version, command] = [head.readUInt8(12) >> 4, head.readUInt8(12) & 15];
  if (version !== VERSION || (command !== LOCAL && command !== PROXY)) {
    throw new BadProxyHeader(`Expected the PROXY protocol v2, got version ${version}, command ${command}.`);
  }
  const addressBytes = ADDRESS_BYTES[head.readUInt8(13)] ?? null;
  const restBytes = head.readUInt16BE(14);
  const minBytes = command === PROXY && addressBytes !== null ? 2 * addressBytes + PORTS_BYTES : 0;
  if (restBytes < minBytes || restBytes > MAX_REST_BYTES) {
    throw new BadProxyHeader(
      `Expected ${minBytes} to ${MAX_REST_BYTES} bytes in a header of the PROXY protocol, got ${restBytes}.`,
    );
  }
  return { command, addressBytes, restBytes };
}

/** Waits for a number of bytes and removes them from the connection. */
function take(socket: Socket, bytes: number, late: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stop = (reason: string | null, taken: Buffer | null) => {
      for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
      late.removeEventListener('abort', onLate);
      if (taken === null) reject(new BadProxyHeader(reason ?? ''));
      else resolve(taken);
    };
    const onLate = () => stop(`Expected a header of the PROXY protocol within ${HEADER_MS / 1000} s.`, null);
    const onReadable = () => {
      const taken: Buffer | null = socket.read(bytes);
      // At the end of the connection, a read returns the remaining bytes.
      if (taken !== null && taken.length === bytes) stop(null, taken);
    };
    const onEnd = () => stop('The connection ended before the header of the PROXY protocol.', null);
    const listeners = { readable: onReadable, error: onEnd, end: onEnd, close: onEnd };
    for (const [name, listener] of Object.entries(listeners)) socket.on(name, listener);
    late.addEventListener('abort', onLate, { once: true });
    onReadable();
  });
}

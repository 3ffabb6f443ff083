// The process that runs libsrt. A crash in native code only affects its own callers, and not the streams of other
// protocols. The listen callback is synchronous but its decision needs the database, so the thread of libsrt and this
// thread block until the parent process has decided.

import { once } from 'node:events';
import { readSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Accepted, type LibSrt, MAX_MESSAGE, openLibSrt } from './libsrt.ts';
import { MAX_FRAME, type SrtReport, type SrtVerdict, writeData, writeReport } from './srt-frames.ts';

const REPORT_FD = 3;
const VERDICT_FD = 4;
const WAIT_MS = 250;
/** Time for which messages are collected into one write, in ms. */
const GATHER_MS = 8;
const REJECT_INTERNAL = 1500;
/**
 * Time in ms, in addition to the latency, for which the last packets of a connection are awaited. `MAX_LAST_MS` limits
 * the total, whatever the caller's latency.
 */
const LAST_PACKET_MS = 50;
const MAX_LAST_MS = 3_000;

const [host = '127.0.0.1', port = '0', idleMs = '0'] = process.argv.slice(2);
const buffer = Buffer.alloc(MAX_FRAME);
/**
 * Latency of each open connection in ms, by socket. After the end of a connection, its last data may arrive within this
 * time.
 */
const open = new Map<number, number>();
/** Disconnected callers by socket, with the time by which their last packet is delivered. */
const ending = new Map<number, number>();

/** Time of the last sign of a caller. */
let calledMs = performance.now();

// The parent has exited.
process.stdin.once('end', () => process.exit(0));
process.on('SIGINT', () => undefined);

let srt: LibSrt | null = null;
try {
  srt = await openLibSrt();
  const opened = srt;
  const lines = createInterface({ input: process.stdin });
  send({ type: 'loaded' });
  await once(lines, 'line');
  const bound = srt.listen(host, Number(port), (connection, caller) => decide(connection, caller));
  lines.on('line', (line) => drop(opened, Number(line)));
  send({ type: 'listening', port: bound });
  await serve(srt);
} catch (error) {
  send({ type: 'failed', reason: reasonOf(error), isMissing: srt === null });
  process.exit(1);
}

/** Serves callers until there were none for `idleMs`. */
async function serve(srt: LibSrt): Promise<never> {
  for (;;) {
    if (open.size > 0) calledMs = performance.now();
    if (performance.now() - calledMs > Number(idleMs)) process.exit(0);
    const startMs = performance.now();
    const ready = await srt.wait(WAIT_MS);
    for (const socket of ready) {
      if (socket === srt.listener) accept(srt);
      else drain(srt, socket);
    }
    for (const socket of ending.keys()) drain(srt, socket);
    // On a busy machine, admitted callers may wait for a long time.
    const unsecured = ready.includes(srt.listener) ? [] : srt.takeUnsecured(startMs);
    for (const caller of unsecured) send({ type: 'unsecured', ...caller });
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
  }
}

function accept(srt: LibSrt): void {
  let accepted: Accepted | null;
  try {
    accepted = srt.accept();
  } catch (error) {
    // The error only affects this caller.
    send({ type: 'refused', reason: reasonOf(error) });
    return;
  }
  if (accepted === null) return;
  open.set(accepted.socket, srt.latencyMs(accepted.socket) + LAST_PACKET_MS);
  send({ type: 'open', connection: accepted.socket, remote: accepted.remote, streamId: accepted.streamId });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Forwards a bounded part of the available data, so that one caller cannot block the others. */
function drain(srt: LibSrt, socket: number): void {
  let sizeBytes = 0;
  while (sizeBytes + MAX_MESSAGE <= buffer.length) {
    const received = srt.receive(socket, buffer, sizeBytes);
    if (received === 0) break;
    if (received === null) {
      if (sizeBytes > 0) writeAll(writeData(socket, buffer.subarray(0, sizeBytes)));
      sizeBytes = 0;
      // libsrt delays packets by the latency even after the connection has ended.
      if (!isOver(socket)) return;
      ending.delete(socket);
      srt.close(socket);
      if (open.delete(socket)) send({ type: 'closed', connection: socket, reason: 'the connection closed' });
      return;
    }
    sizeBytes += received;
  }
  if (sizeBytes > 0) writeAll(writeData(socket, buffer.subarray(0, sizeBytes)));
}

function isOver(socket: number): boolean {
  const nowMs = Date.now();
  const untilMs = ending.get(socket) ?? nowMs + Math.min(MAX_LAST_MS, open.get(socket) ?? 0);
  ending.set(socket, untilMs);
  return nowMs >= untilMs;
}

function drop(srt: LibSrt, socket: number): void {
  ending.delete(socket);
  if (open.delete(socket)) srt.close(socket);
}

function decide(connection: number, caller: { remote: string; streamId: string }): string | null | number {
  calledMs = performance.now();
  try {
    send({ type: 'check', connection, ...caller });
    const verdict = readVerdict();
    return 'reject' in verdict ? verdict.reject : verdict.passphrase;
  } catch {
    // The parent has exited, and this process exits soon too.
    return REJECT_INTERNAL;
  }
}

function readVerdict(): SrtVerdict {
  const size = readExactly(4).readUInt32BE(0);
  // The parent process wrote this JSON.
  return JSON.parse(readExactly(size).toString()) as SrtVerdict;
}

function readExactly(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; ) {
    const read = readSync(VERDICT_FD, bytes, at, sizeBytes - at, null);
    if (read === 0) throw new Error('Expected a response, but the pipe ended.');
    at += read;
  }
  return bytes;
}

function send(report: SrtReport): void {
  writeAll(writeReport(report));
}

/**
 * Writes bytes to the parent, and blocks until the pipe accepts them. Unread data stays in the buffers of
 * libsrt.
 */
function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(REPORT_FD, bytes, at);
}

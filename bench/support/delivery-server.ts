import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Scope } from './scope.ts';

/** A video of `chunks` chunks with `segmentsPerChunk` segments of `bytes` bytes each. Its objects are in `folder`. */
export type DeliveryShape = { folder: string; bytes: number; chunks: number; segmentsPerChunk: number };
export type DeliveryServer = { port: number; pid: number; stop(): Promise<void> };

/** Starts the edge as a separate process that ends with the scope. */
export async function startDeliveryEdge(
  scope: Scope,
  { folder, bytes, chunks, segmentsPerChunk }: DeliveryShape,
): Promise<DeliveryServer> {
  const script = path.join(import.meta.dirname, 'delivery-edge.ts');
  const args = ['--disable-warning=ExperimentalWarning', script, folder, bytes, segmentsPerChunk, chunks].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  scope.own(() => stopChild(child));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(Number(text)));
    child.once('exit', (code) => reject(new Error(`Expected the edge to listen, it exited with ${code}.`)));
  });
  return { port, pid: child.pid ?? 0, stop: () => stopChild(child) };
}

/** Terminates a process and waits until it has exited. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

import { readFile } from 'node:fs/promises';

/** Returns the bytes of `--file`; `-` reads stdin. */
export async function readBody(file: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(file === '-' ? await readStdin() : await readFile(file));
}

export async function readStdin(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part);
  return Buffer.concat(parts);
}

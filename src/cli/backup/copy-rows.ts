import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Manifest } from './manifest.ts';

/**
 * Reads columns of a table in a backup, in the text format of COPY. Yields an object per row, with null for NULL. It
 * supports only columns without escapes other than those of `bytea`: keys, numbers and bytes.
 */
export async function* readCopiedRows(
  { folder, manifest }: { folder: string; manifest: Manifest },
  table: string,
  names: readonly string[],
): AsyncGenerator<Record<string, string | null>> {
  const columns = manifest.tables.find(({ name }) => name === table)?.columns ?? [];
  const places = names.map((name) => ({ name, at: columns.indexOf(name) }));
  if (places.some(({ at }) => at < 0)) return;
  for await (const line of readLines(path.join(folder, manifest.tablesFolder, table))) {
    const fields = line.split('\t');
    yield Object.fromEntries(
      places.map(({ name, at }) => {
        const field = fields[at] ?? '\\N';
        return [name, field === '\\N' ? null : field];
      }),
    );
  }
}

/** Yields the lines of a file. Only a newline ends a line, because titles may contain other Unicode line separators. */
export async function* readLines(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const text of createReadStream(file, 'utf8')) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Returns the bytes of a `bytea` column. COPY writes the prefix `\x` with two backslashes. */
export function bytesOf(field: string | null): Buffer {
  return Buffer.from((field ?? '').replace(/^\\\\x/, ''), 'hex');
}

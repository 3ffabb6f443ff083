import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../lib/has-code.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import type { Context } from './context.ts';
import { privatePath } from './private-file.ts';

/** Number of outdated lines from which the file is written again without them. */
const MAX_OUTDATED_LINES = 1_000;

/** Hashes of the captions, images and marks that this machine has sent, by video and name. */
export type SentParts = {
  hashOf(videoId: string, name: string): string | null;
  store(videoId: string, name: string, hash: string): Promise<void>;
};

/**
 * Opens the record of the parts that were sent to a library. It is a file in the user's folder with one line for each
 * sent part. The last line of a part counts.
 */
export async function openSentParts({ url, library }: Pick<Context, 'url' | 'library'>): Promise<SentParts> {
  const id = createHash('sha256')
    .update(JSON.stringify([url, library]))
    .digest('hex');
  const path = privatePath(`sent/${id.slice(0, 16)}.jsonl`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const lines = await readLines(path);
  const hashes = new Map(lines.map((line) => [`${line[0]} ${line[1]}`, line]));
  if (lines.length > hashes.size + MAX_OUTDATED_LINES)
    await replaceFile(path, [...hashes.values()].map(lineOf).join(''), 0o600);
  return {
    hashOf: (videoId, name) => hashes.get(`${videoId} ${name}`)?.[2] ?? null,
    async store(videoId, name, hash) {
      const line = [videoId, name, hash];
      hashes.set(`${videoId} ${name}`, line);
      await appendFile(path, lineOf(line), { mode: 0o600 });
    },
  };
}

async function readLines(path: string): Promise<string[][]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n');
    // An interrupted run may leave a part of a line.
    return lines.flatMap((line) => (/^\["[^"]+","[^"]+","[0-9a-f]{64}"\]$/.test(line) ? [JSON.parse(line)] : []));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Begins with a line break, which separates the line from a part of another one. */
function lineOf(line: readonly string[]): string {
  return `\n${JSON.stringify(line)}`;
}

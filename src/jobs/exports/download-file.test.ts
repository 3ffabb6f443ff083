import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { downloadFile } from './download-file.ts';

test.each([
  { name: 'continues a partial file', part: 'abc', skips: true, isKnown: true, asked: [3] },
  { name: 'starts again if the hash differs', part: 'xyz', skips: true, isKnown: true, asked: [3, 0] },
  { name: 'starts again without a known hash', part: 'xyz', skips: true, isKnown: false, asked: [0] },
  { name: 'replaces a partial file if the response is whole', part: 'abc', skips: false, isKnown: true, asked: [3] },
])('$name', async ({ part, skips, isKnown, asked }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-download-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const target = path.join(folder, 'file');
  await writeFile(`${target}.part`, part);
  const hash = createHash('sha256').update('abcdef').digest('hex');
  const from: number[] = [];
  const request = async (fromByte: number) => {
    from.push(fromByte);
    return new Response('abcdef'.slice(skips ? fromByte : 0));
  };
  const wanted = { target, sha256: isKnown ? hash : null };
  const found = await downloadFile({ name: 'a file', skips, request }, wanted, new AbortController().signal);
  expect({ found, from, text: await readFile(target, 'utf8') }).toEqual({ found: hash, from: asked, text: 'abcdef' });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findMisnamedExport } from './misnamed-export.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-names-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(name: string, code: string): Promise<string | null> {
  const file = join(folder, name);
  await writeFile(file, code);
  return await findMisnamedExport(file);
}

test.each([
  ['the whole name', 'encode-range.ts', 'export function encodeRange() {}'],
  ['the name without its verb', 's3-storage.ts', 'export const createS3Storage = () => 1;'],
  ['the name without its last word', 'licence-url.ts', 'export async function licenceUrlOf() {}'],
  ['a store', 'fail-task-store.ts', 'export async function failTask() {}'],
  ['an abbreviation', 'get-oembed.ts', 'export function getOEmbed() {}'],
  ['several exports', 'names.ts', 'export const a = 1;\nexport const b = 2;'],
  ['its main type', 'cue.ts', 'export type Cue = { text: string };\nexport function writeVtt() {}'],
  ['types only', 'shapes.ts', 'export type Other = { a: 1 };'],
  ['a table', 'words.table.ts', 'export const german = {};'],
])('accepts %s', async (_what, name, code) => {
  expect(await check(name, code)).toBeNull();
});

test.each([
  ['encode-chunk.ts', 'export async function encodeRange() {}', 'encodeRange'],
  ['s3.ts', 'export const createS3Storage = () => 1;', 'createS3Storage'],
  ['limits.ts', 'const MAX_BYTES = 1;\nexport { MAX_BYTES };', 'MAX_BYTES'],
])('rejects the file name %s for an export with a different name', async (name, code, expected) => {
  expect(await check(name, code)).toBe(expected);
});

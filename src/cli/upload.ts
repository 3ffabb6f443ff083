import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { readOwnSettings } from '../config/settings.ts';
import { Refused } from '../lib/refused.ts';
import { baseAddresses } from './first-start.ts';

/** `millrace upload FILE`: makes a video, sends the file and prints the video's id. */
export async function upload(args: readonly string[]): Promise<number> {
  const { file, title, target, headers } = readUploadArgs(args);
  // Before the video is made: a wrong path must leave none behind.
  const bytes = await openFile(file);
  const created = await send(target, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });
  const { guid } = (await created.json()) as { guid?: unknown };
  if (typeof guid !== 'string') throw new Error(`Expected the new video's guid from ${target}, got none.`);
  await send(`${target}/${guid}`, { method: 'PUT', headers, body: bytes });
  process.stdout.write(`${guid}\n`);
  return 0;
}

type UploadPlan = { file: string; title: string; target: string; headers: { AccessKey: string } };

function readUploadArgs(args: readonly string[]): UploadPlan {
  const text = { type: 'string' } as const;
  const options = { title: text, url: text, library: { ...text, default: '1' }, key: text };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new Refused('invalid', `expected one file, got ${positionals.length}.`);
  const settings = readOwnSettings();
  const key = values.key ?? settings.libraryKey;
  if (key === null) throw new Refused('invalid', 'expected the library key by --key or MILLRACE_LIBRARY_KEY.');
  const url = values.url ?? baseAddresses(settings, { api: settings.port }).publicUrl;
  const target = `${url.replace(/\/+$/, '')}/library/${encodeURIComponent(values.library)}/videos`;
  return { file, title: values.title ?? basename(file), target, headers: { AccessKey: key } };
}

async function openFile(file: string): Promise<Blob> {
  try {
    const found = await stat(file);
    if (found.isFile() && found.size > 0) return await openAsBlob(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Refused('invalid', `expected a file that can be read, got ${file}: ${reason}.`, { cause });
  }
  throw new Refused('invalid', `expected a file with bytes in it, got ${file}.`);
}

async function send(url: string, request: RequestInit): Promise<Response> {
  const response = await fetch(url, request).catch((error: unknown) => {
    // Its own words are only "fetch failed".
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Refused('unavailable', `${url} cannot be reached: ${cause}. Is the service running, and --url right?`);
  });
  if (response.ok) return response;
  throw new Refused('invalid', `${request.method} ${url} was answered ${response.status}: ${await response.text()}`);
}

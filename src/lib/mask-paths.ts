import { tmpdir } from 'node:os';

/** A path of this machine, not of an address; `/in/source` and `/out` are those of the sandbox. */
const PATH = /(?<![\w/])\/(?!\/|in\/source(?![\w-])|out\/)[^\s:'"]+\/([^\s/:'"]*)/g;

/** A text for the owners of videos, who are not those of this machine: of paths of its files, the names. */
export function maskPaths(text: string): string {
  return text.replaceAll(tmpdir(), '').replaceAll(process.cwd(), '').replaceAll(PATH, '…/$1');
}

/** What an error says of why something failed, as owners of videos see it. */
export function reasonOf(error: unknown): string {
  return maskPaths(error instanceof Error ? error.message : String(error));
}

import { tmpdir } from 'node:os';

/** Matches a path on this machine that is not part of a URL. `/in/source` and `/out` are paths in the sandbox. */
const PATH = /(?<![\w/])\/(?!\/|in\/source(?![\w-])|out\/)[^\s:'"]+\/([^\s/:'"]*)/g;

/** Replaces paths with file names, for owners of videos, who are not the operators of this machine. */
export function maskPaths(text: string): string {
  return text.replaceAll(tmpdir(), '').replaceAll(process.cwd(), '').replaceAll(PATH, '…/$1');
}

/** Returns the message of an error without paths, for owners of videos. */
export function reasonOf(error: unknown): string {
  return maskPaths(error instanceof Error ? error.message : String(error));
}

import { tmpdir } from 'node:os';

/** A path on this machine, not part of a URL; `/in/source` and `/out` are paths in the sandbox. */
const PATH = /(?<![\w/])\/(?!\/|in\/source(?![\w-])|out\/)[^\s:'"]+\/([^\s/:'"]*)/g;

/** Prepares a text for owners of videos, who are not the operators of this machine: replaces paths with file names. */
export function maskPaths(text: string): string {
  return text.replaceAll(tmpdir(), '').replaceAll(process.cwd(), '').replaceAll(PATH, '…/$1');
}

/** Returns the reason in an error, as owners of videos may see it. */
export function reasonOf(error: unknown): string {
  return maskPaths(error instanceof Error ? error.message : String(error));
}

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../lib/has-code.ts';

const root = path.resolve(import.meta.dirname, '../../..');
/** Pages in the root folder of the project, next to the README. */
const ROOT_PAGES = ['contributing', 'security', 'changelog'];
const NAME = /^(?:decisions\/)?[a-z0-9-]{1,80}$/;
const MAX_RESULTS = 20;
const EXCERPT_CHARS = 160;

/** A section of the index: its heading, and its pages with a line about each. Decisions have a separate list. */
export type DocumentGroup = { heading: string; pages: { name: string; title: string; text: string }[] };

/** A page that contains the searched words, with the text around the first of them. */
export type DocumentHit = { name: string; title: string; excerpt: string };

/**
 * Reads a page's Markdown by its name, such as `running` or `decisions/060-live`. Returns null if the page does not
 * exist.
 */
export async function readDocument(name: string): Promise<string | null> {
  if (!NAME.test(name)) return null;
  const file = ROOT_PAGES.includes(name) ? `${name.toUpperCase()}.md` : path.join('docs', `${name}.md`);
  return (await readIfThere(path.join(root, file)))?.toString() ?? null;
}

/** Reads the README, which is the first page. */
export async function readFirstDocument(): Promise<string> {
  return await readFile(path.join(root, 'README.md'), 'utf8');
}

/** Reads an image of the documentation. Returns null if it does not exist. */
export async function readDocumentPicture(name: string): Promise<Buffer | null> {
  if (!/^[a-z0-9-]{1,80}\.jpg$/.test(name)) return null;
  return await readIfThere(path.join(root, 'docs/pictures', name));
}

/** Returns the sections of `docs/index.md` in order. */
export async function readOutline(): Promise<DocumentGroup[]> {
  const sections = ((await readDocument('index')) ?? '').split(/^## /m).slice(1);
  return sections
    .map((section) => ({
      heading: section.slice(0, section.indexOf('\n')),
      pages: [...section.matchAll(/^- \[([^\]]+)\]\((?:\.\.\/)?([A-Za-z0-9-]+)\.md\)(?:: (.*))?/gm)].map(
        ([, title = '', name = '', text = '']) => {
          return { name: name.toLowerCase(), title, text };
        },
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}

/** Finds the pages that contain every word of a query, at most 20, those with a word in their title first. */
export async function searchDocuments(query: string): Promise<DocumentHit[]> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const names = (await readdir(path.join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
  const pages = await Promise.all(
    names.map(async (file) => {
      const name = file.slice(0, -'.md'.length);
      const text = (await readDocument(name)) ?? '';
      return { name, text, title: /^# (.+)$/m.exec(text)?.[1] ?? name };
    }),
  );
  const found = pages.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const rank = ({ title, name }: { title: string; name: string }) =>
    (words.some((word) => title.toLowerCase().includes(word)) ? 0 : 2) + (name.startsWith('decisions/') ? 1 : 0);
  return found
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
    .slice(0, MAX_RESULTS)
    .map(({ name, title, text }) => ({ name, title, excerpt: excerptOf(text, words[0] ?? '') }));
}

async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function excerptOf(text: string, word: string): string {
  const plain = text
    .replace(/^# .+$/m, '')
    .replaceAll(/[`*|#]|\]\([^)]*\)|\[/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const at = Math.max(0, plain.toLowerCase().indexOf(word));
  const start = Math.max(0, at - EXCERPT_CHARS / 2);
  const end = start + EXCERPT_CHARS;
  return `${start > 0 ? '…' : ''}${plain.slice(start, end)}${end < plain.length ? '…' : ''}`;
}

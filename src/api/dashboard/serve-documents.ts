import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../lib/escape-html.ts';
import { Refused } from '../../lib/refused.ts';
import type { DashboardFiles } from './load-dashboard.ts';
import {
  type DocumentHit,
  readDocument,
  readDocumentPicture,
  readFirstDocument,
  readOutline,
  searchDocuments,
} from './read-documents.ts';

const OPEN_API = path.resolve(import.meta.dirname, '../../../docs/openapi.json');
const MAX_QUERY_CHARS = 100;

type Documents = { prefix: string; files: () => Promise<DashboardFiles> };

/** Serves the project's documentation at `/docs`, its search and the OpenAPI document. The pages contain no scripts. */
export function serveDocuments(app: FastifyInstance, documents: Documents): void {
  app.get('/docs/openapi.json', async (_request, reply) => {
    const bytes = await readFile(OPEN_API);
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(bytes);
  });
  app.get('/docs', async (_request, reply) => {
    const body = render(await readFirstDocument(), documents.prefix);
    return await sendPage({ name: '', title: 'Start', body }, reply, documents);
  });
  app.get('/docs/search', async (request, reply) => {
    // The server does not parse queries, because each operation parses its own.
    const query = (new URL(request.url, 'http://docs').searchParams.get('q') ?? '').slice(0, MAX_QUERY_CHARS);
    const body = results(query, await searchDocuments(query), documents.prefix);
    return await sendPage({ name: 'search', title: 'Search', body, query }, reply, documents);
  });
  app.get('/docs/pictures/:name', async (request, reply) => {
    const { name = '' }: { name?: string } = Object(request.params);
    const bytes = await readDocumentPicture(name);
    if (bytes === null) throw noDocument(name);
    return reply
      .type('image/jpeg')
      .headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
      .send(bytes);
  });
  for (const address of ['/llms.txt', '/docs/llms.txt']) {
    app.get(address, async (_request, reply) => sendText(await writeLlmsText(documents.prefix), 'plain', reply));
  }
  app.get('/docs/*', async (request, reply) => {
    const { '*': rest = '' }: { '*'?: string } = Object(request.params);
    const name = rest.replace(/\.md$/, '').replace(/\/$/, '');
    const text = await readDocument(name);
    if (text === null) throw noDocument(name);
    if (rest.endsWith('.md')) return sendText(text, 'markdown', reply);
    return await sendPage({ name, title: name, body: render(text, documents.prefix) }, reply, documents);
  });
}

/** Sends text for programs: an overview or the Markdown of a page. */
function sendText(text: string, kind: 'plain' | 'markdown', reply: FastifyReply): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    .type(`text/${kind}; charset=utf-8`)
    .send(text);
}

/** Lists the pages for language models (https://llmstxt.org): each links to its Markdown. */
async function writeLlmsText(prefix: string): Promise<string> {
  const sections = (await readOutline()).map(({ heading, pages }) => {
    const lines = pages.map(({ name, title, text }) => `- [${title}](${prefix}/docs/${name}.md): ${text}`);
    return `## ${heading}\n\n${lines.join('\n')}\n`;
  });
  return `${llmsHead(prefix)}\n${sections.join('\n')}`;
}

function llmsHead(prefix: string): string {
  return `# Millrace

> A self-hosted video platform: it receives, encodes, stores, delivers and plays videos and live streams, and has the
> HTTP interface of a hosted video service.

Every operation is in the [OpenAPI document](${prefix}/docs/openapi.json). \`millrace mcp\` serves the same operations
as tools of the Model Context Protocol.
`;
}

/** `name` is empty for the first page. `query` is the text of a search. */
type Page = { name: string; title: string; body: string; query?: string };

async function sendPage(page: Page, reply: FastifyReply, { prefix, files }: Documents): Promise<FastifyReply> {
  const { style } = await files();
  const navigation = await writeNavigation(page, prefix);
  return reply
    .headers({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; " +
        "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    })
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Millrace</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${prefix}/dashboard/assets/${style}">
</head>
<body class="document">
${navigation}
<main>${page.body}</main></body>
</html>
`,
    );
}

async function writeNavigation({ name, query = '' }: Page, prefix: string): Promise<string> {
  const link = (page: string, title: string) =>
    `<a href="${prefix}/docs${page === '' ? '' : `/${page}`}"${page === name ? ' aria-current="page"' : ''}>` +
    `${escapeHtml(title)}</a>`;
  const groups = (await readOutline()).map(
    ({ heading, pages }) =>
      `<h2>${escapeHtml(heading)}</h2>${pages.map((page) => link(page.name, page.title)).join('')}`,
  );
  return `<nav aria-label="Documentation">
<form action="${prefix}/docs/search" role="search">
<input type="search" name="q" value="${escapeHtml(query)}" placeholder="Search" aria-label="Search the documentation"
maxlength="${MAX_QUERY_CHARS}"></form>
<a href="${prefix}/">Dashboard</a>${link('', 'README')}
${groups.join('\n')}
${link('index', 'All pages')}</nav>`;
}

function results(query: string, hits: readonly DocumentHit[], prefix: string): string {
  const found = hits.map(
    ({ name, title, excerpt }) =>
      `<li><a href="${prefix}/docs/${name}">${escapeHtml(title)}</a><p>${escapeHtml(excerpt)}</p></li>`,
  );
  const heading = `<h1>Search: ${escapeHtml(query)}</h1>`;
  if (found.length > 0) return `${heading}<ul>${found.join('')}</ul>`;
  return `${heading}<p>No page contains these words. Try fewer or other words.</p>`;
}

/** Renders Markdown as HTML. Links between pages lead to their URLs. Raw HTML is shown as text, without comments. */
function render(markdown: string, prefix: string): string {
  const marked = new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text.replaceAll(/<!--.*?-->\s*/gs, '')),
      // Wide code must be scrollable by keyboard (WCAG 2.1.1).
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`,
    },
    walkTokens(token) {
      if (token.type === 'image') token.href = String(token.href).replace(/^docs\//, `${prefix}/docs/`);
      if (token.type !== 'link') return;
      const [, name] =
        /^(?:\.{1,2}\/|docs\/)*((?:decisions\/)?[a-z0-9-]+)\.md(?:#.*)?$/i.exec(String(token.href)) ?? [];
      if (name !== undefined) token.href = `${prefix}/docs/${name.toLowerCase()}`;
    },
  });
  return marked.parse(markdown, { async: false });
}

function noDocument(name: string): Refused {
  return new Refused('not-found', `There is no page "${name.slice(0, 100)}". All pages are listed at /docs/index.`);
}

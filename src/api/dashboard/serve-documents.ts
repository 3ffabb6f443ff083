import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../lib/escape-html.ts';
import { Refused } from '../../lib/refused.ts';
import type { DashboardFiles } from './load-dashboard.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const DOCUMENT = /^(?:decisions\/)?[a-z0-9-]{1,80}$/;
const PICTURE = /^[a-z0-9-]{1,80}\.jpg$/;
/** Documents that stand beside the README. */
const BESIDE = ['contributing', 'security', 'changelog'];

type Documents = { prefix: string; files: () => Promise<DashboardFiles> };

/** Serves the project's documents as pages at `/docs`, and the OpenAPI document beside them; no script runs there. */
export function addDocuments(app: FastifyInstance, documents: Documents): void {
  app.get('/docs/openapi.json', async (_request, reply) => {
    const bytes = await readFile(path.join(root, 'docs/openapi.json'));
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(bytes);
  });
  app.get('/docs', (_request, reply) => sendPage('README', path.join(root, 'README.md'), reply, documents));
  app.get('/docs/pictures/:name', async (request, reply) => {
    const { name = '' }: { name?: string } = Object(request.params);
    const bytes = PICTURE.test(name) ? await readFile(path.join(root, 'docs/pictures', name)).catch(() => null) : null;
    if (bytes === null) throw noDocument(name);
    return reply
      .type('image/jpeg')
      .headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
      .send(bytes);
  });
  app.get('/docs/*', (request, reply) => {
    const { '*': rest = '' }: { '*'?: string } = Object(request.params);
    const name = rest.replace(/\.md$/, '').replace(/\/$/, '');
    if (!DOCUMENT.test(name)) throw noDocument(name);
    return sendPage(name, fileOf(name), reply, documents);
  });
}

function fileOf(name: string): string {
  return BESIDE.includes(name) ? path.join(root, `${name.toUpperCase()}.md`) : path.join(root, 'docs', `${name}.md`);
}

async function sendPage(name: string, file: string, reply: FastifyReply, { prefix, files }: Documents) {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) throw noDocument(name);
  const { style } = await files();
  const names = (await readdir(path.join(root, 'docs')))
    .filter((one) => one.endsWith('.md'))
    .map((one) => one.slice(0, -3));
  return reply
    .headers({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    })
    .type('text/html; charset=utf-8')
    .send(page({ name, body: render(text, prefix), names, style: `${prefix}/dashboard/assets/${style}`, prefix }));
}

/** Markdown as HTML; links between documents lead to their pages, and raw HTML is shown as text. */
function render(markdown: string, prefix: string): string {
  const marked = new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      // A keyboard scrolls what is too wide (WCAG 2.1.1).
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`,
    },
    walkTokens(token) {
      if (token.type === 'image') token.href = String(token.href).replace(/^docs\//, `${prefix}/docs/`);
      if (token.type !== 'link') return;
      const [, name] = /^(?:\.\/|docs\/)*((?:decisions\/)?[a-z0-9-]+)\.md(?:#.*)?$/i.exec(String(token.href)) ?? [];
      if (name !== undefined) token.href = `${prefix}/docs/${name.toLowerCase()}`;
    },
  });
  return marked.parse(markdown, { async: false });
}

type Page = { name: string; body: string; names: readonly string[]; style: string; prefix: string };

function page({ name, body, names, style, prefix }: Page): string {
  const links = names.map(
    (one) =>
      `<a href="${prefix}/docs/${one}"${one === name ? ' aria-current="page"' : ''}>${one.replaceAll('-', ' ')}</a>`,
  );
  const current = name === 'README' ? ' aria-current="page"' : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)} · Millrace</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body class="document">
<nav aria-label="Documents"><a href="${prefix}/">Dashboard</a><a href="${prefix}/docs"${current}>Start</a>
${links.join('')}</nav>
<main>${body}</main></body>
</html>
`;
}

function noDocument(name: string): Refused {
  return new Refused('not-found', `There is no document "${name.slice(0, 100)}". The list is at /docs.`);
}

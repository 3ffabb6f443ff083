import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PackedFile } from '../../lib/packed-code.ts';
import { Refused } from '../../lib/refused.ts';
import type { DashboardFiles } from './load-dashboard.ts';
import { serveDocuments } from './serve-documents.ts';

type Pages = { edgeUrl: string; publicUrl: string | null; files: () => Promise<DashboardFiles> };

/** Serves the page at `/` and at every deep link under `/dashboard/`, and the files that it loads. */
export function serveDashboard(app: FastifyInstance, { edgeUrl, publicUrl, files }: Pages): void {
  const headers = pageHeaders(edgeUrl);
  const prefix = pathPrefix(publicUrl);
  const page = async (_request: FastifyRequest, reply: FastifyReply) => {
    const { script, style } = await files();
    return reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(html(script, style, prefix));
  };
  serveDocuments(app, { prefix, files });
  app.get('/', page);
  app.get('/dashboard', page);
  app.get('/dashboard/*', page);
  app.get('/dashboard/assets/:name', async (request, reply) => {
    const { name }: { name?: string } = Object(request.params);
    const file = (await files()).files.get(name ?? '');
    if (file === undefined) throw new Refused('not-found', 'The dashboard has no such file. Reload the page.');
    return sendFile(request, reply, file);
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: PackedFile): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null;
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply
    .headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    })
    .type(file.contentType)
    .send(encoding === 'br' ? file.brotli : encoding === 'gzip' ? file.gzip : file.plain);
}

/**
 * Content Security Policy Level 3: allows our own files, and images and players of the edge. Allows nothing inline and
 * no other host.
 */
function pageHeaders(edgeUrl: string): Record<string, string> {
  const edge = new URL(edgeUrl).origin;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${edge}`,
    `media-src 'self' blob: ${edge}`,
    `img-src 'self' data: blob: ${edge}`,
    `frame-src ${edge}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}

/** Returns the path under which a proxy serves this service, from the public URL, without a final slash. */
function pathPrefix(publicUrl: string | null): string {
  return publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
}

function html(script: string, style: string, prefix: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Millrace</title>
<link rel="icon" href="data:,">
<meta name="millrace-prefix" content="${prefix}">
<link rel="stylesheet" href="${prefix}/dashboard/assets/${style}">
<script type="module" src="${prefix}/dashboard/assets/${script}"></script>
</head>
<body><div id="app"></div><noscript>The dashboard needs JavaScript.</noscript></body>
</html>
`;
}

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Locate } from '../../support/install-packages.ts';
import { PLAYERS, type PlayerPackage } from './trial.ts';

const HEAD = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.ts': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html',
};

/** Opens a site with a page for each player, at a different origin than the media. The caller closes it. */
export async function openSite(locate: Locate): Promise<{ address(player: PlayerPackage): string; close(): void }> {
  const server: Server = createServer(({ url = '' }, response) => {
    answer(locate, new URL(url, 'http://site').pathname.slice(1)).then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    address: (player) => `http://127.0.0.1:${port}/${encodeURIComponent(player.name)}.html`,
    close: () => void server.close(),
  };
}

async function answer(locate: Locate, name: string): Promise<{ type: string; body: string | Buffer }> {
  const type = `${TYPES[path.extname(name)] ?? 'text/plain'}; charset=utf-8`;
  if (/^page[\w-]*\.ts$/.test(name)) {
    return { type, body: stripTypeScriptTypes(await readFile(path.join(import.meta.dirname, name), 'utf8')) };
  }
  const player = PLAYERS.find((one) => `${encodeURIComponent(one.name)}.html` === name);
  if (player !== undefined) return { type, body: pageOf(player) };
  return { type, body: await readFile(locate(name)) };
}

function pageOf({ files }: PlayerPackage): string {
  const links = files.map((file) =>
    file.endsWith('.css') ? `<link rel="stylesheet" href="/${file}">` : `<script src="/${file}"></script>`,
  );
  return `${HEAD}${links.join('')}<main></main><script type="module" src="/page.ts"></script>`;
}

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { installPackages } from '../../test/support/install-packages.ts';
import type { Scope } from './scope.ts';

/** URLs of the pages of the compared npm players, by name. */
export type PlayerPages = { hlsJs: string; videoJs: string; vidstack: string; muxPlayer: string };

const HEAD = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };
const root = path.resolve(import.meta.dirname, '../..');
const compress = promisify(brotliCompress);

/**
 * Serves the pages on a free port: one HTML file each with autoplay, with the player's scripts from npm, as brotli and
 * immutable. Each player plays the same playlist with its own engine instead of natively.
 */
export async function servePlayerPages(scope: Scope, playlist: string): Promise<PlayerPages> {
  const locate = await installPackages(path.join(root, 'bench/players'), path.join(root, '.cache/bench-players'));
  const pages: Record<string, string> = {
    '/hlsJs.html': hlsJsPage(playlist),
    '/videoJs.html': videoJsPage(playlist),
    '/vidstack.html': vidstackPage(playlist),
    '/muxPlayer.html': muxPlayerPage(playlist),
  };
  const kept = new Map<string, Promise<Buffer>>();
  const read = async (url: string) => compress(pages[url] ?? (await readFile(locate(url.slice(1)))));
  const server = createServer(async ({ url = '' }, response) => {
    const body = kept.get(url) ?? read(url);
    kept.set(url, body);
    try {
      const bytes = await body;
      const headers = {
        'content-type': TYPES[path.extname(url)] ?? 'application/octet-stream',
        'content-encoding': 'br',
      };
      response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
    } catch {
      // A page requested a file that its package lacks.
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.own(() => void server.close());
  // The address of a listening TCP server is an AddressInfo.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = (name: keyof PlayerPages) => `${base}/${name}.html`;
  return {
    hlsJs: address('hlsJs'),
    videoJs: address('videoJs'),
    vidstack: address('vidstack'),
    muxPlayer: address('muxPlayer'),
  };
}

function hlsJsPage(playlist: string): string {
  return `${HEAD}<script src="/hls.js/dist/hls.min.js"></script>
<video id="v" controls muted autoplay playsinline width="1280" height="720"></video>
<script>const hls = new Hls(); hls.loadSource('${playlist}'); hls.attachMedia(document.querySelector('#v'))</script>`;
}

function videoJsPage(playlist: string): string {
  return `${HEAD}<link rel="stylesheet" href="/video.js/dist/video-js.min.css">
<script src="/video.js/dist/video.min.js"></script>
<video id="v" class="video-js" controls muted autoplay playsinline width="1280" height="720"></video>
<script>videojs('v', { sources: [{ src: '${playlist}', type: 'application/x-mpegURL' }],
  html5: { vhs: { overrideNative: true } } })</script>`;
}

/**
 * Vidstack's build for pages imports icons from another host, and does not play without them. They are omitted, which
 * is an advantage for Vidstack.
 */
const VIDSTACK_ICONS = 'https://cdn.jsdelivr.net/npm/media-icons@1.1.5/dist/cdn.js/+esm';

function vidstackPage(playlist: string): string {
  return `${HEAD}<script type="importmap">{"imports":{"${VIDSTACK_ICONS}":"data:text/javascript,"}}</script>
<link rel="stylesheet" href="/vidstack/player/styles/default/theme.css">
<link rel="stylesheet" href="/vidstack/player/styles/default/layouts/video.css">
<style>media-player{width:1280px;height:720px}</style>
<script type="module" src="/vidstack/cdn/with-layouts/vidstack.js"></script>
<media-player muted autoplay playsinline><media-provider></media-provider>
<media-video-layout></media-video-layout></media-player>
<script type="module">const player = document.querySelector('media-player');
player.addEventListener('provider-change', ({ detail }) => {
  if (detail?.type === 'hls') detail.library = '/hls.js/dist/hls.min.js';
});
player.src = { src: '${playlist}', type: 'application/x-mpegurl' };</script>`;
}

function muxPlayerPage(playlist: string): string {
  return `${HEAD}<script src="/@mux/mux-player/dist/mux-player.js" async></script>
<style>mux-player{width:1280px;height:720px}</style>
<mux-player src="${playlist}" prefer-playback="mse" muted autoplay="muted" playsinline disable-tracking
  disable-cookies></mux-player>`;
}

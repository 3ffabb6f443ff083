import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readPlayRequest } from './play-request.ts';

function read(query: string) {
  const request = new IncomingMessage(new Socket());
  request.url = `/embed/1/2${query}`;
  const { offersCast, showsHeat, preloads, previewLanguage } = readPlayRequest(request);
  return { offersCast, showsHeat, preloads, previewLanguage };
}

test.each([
  ['', { offersCast: false, showsHeat: null, preloads: true }],
  ['?Chromecast', { offersCast: true }],
  ['?chromecast=', { offersCast: false }],
  ['?chromecast=yes&showHeatmap=no', { offersCast: true, showsHeat: false }],
  ['?showheatmap=perhaps', { showsHeat: null }],
  ['?count=false&language=de', { previewLanguage: 'de' }],
  ['?language=de', { previewLanguage: '' }],
  ['?autoplay=false', { preloads: true }],
  ['?preload=0', { preloads: true }],
  ['?autoplay=FALSE&preload=0', { preloads: false }],
  ['?autoplay=FALSE&preload=None', { preloads: false }],
  ['?autoplay=FALSE&preload=metadata', { preloads: true }],
])('reads the flags of %s like the player page', (query, flags) => {
  expect(read(query)).toMatchObject(flags);
});

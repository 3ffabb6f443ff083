import { expect, test } from 'vitest';
import type { PageConfig } from './config.ts';
import { previewLook } from './preview-look.ts';

// The function reads only the fields that it replaces.
const look = { controls: ['play'], playbackSpeeds: [1], uiLanguage: 'en' } as unknown as PageConfig['look'];

test('a preview shows unsaved controls, speeds, colours and fonts', () => {
  const style = 'color=%23ff0000&font=serif&captionsSize=24&captionsColor=%23eeeeee&captionsBackground=%23123';
  const query = `?count=false&${style}&controls=play,mute&speeds=0.5,2`;
  expect(previewLook(look, query)).toEqual({
    look: { controls: ['play', 'mute'], playbackSpeeds: [0.5, 2], uiLanguage: 'en' },
    variables: [
      ['--player-accent', '#ff0000'],
      ['--media-font-family', 'serif,system-ui,sans-serif'],
      ['--captions-font-size', '24px'],
      ['--captions-text-color', '#eeeeee'],
      ['--captions-background', '#123'],
    ],
  });
});

test('a preview ignores invalid styles, and may have no controls', () => {
  expect(previewLook(look, '?count=false&color=url(x)&font=a;b&captionsSize=-1&controls=')).toEqual({
    look: { controls: [], playbackSpeeds: [1], uiLanguage: 'en' },
    variables: [],
  });
});

test('a preview ignores speeds that are no numbers in the range of the settings', () => {
  const { look: shown } = previewLook(look, '?count=false&speeds=fast,Infinity,-1,0,1e9,1.5');
  expect(shown.playbackSpeeds).toEqual([1.5]);
});

test('pages that count views ignore the preview parameters', () => {
  expect(previewLook(look, '?color=%23ff0000&controls=mute&speeds=3')).toEqual({ look, variables: [] });
});

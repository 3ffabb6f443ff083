import { decode } from 'blurhash';
import type { PlayerState } from '../../src/delivery/player/player-state.ts';

const WIDTH = 32;
const HEIGHT = 18;

/** Paints the poster's blurred colours immediately. The controls load the image itself. */
export function paintBlur(frame: HTMLElement, { details: { blurhash } }: PlayerState): void {
  if (blurhash === null) return;
  const canvas = document.createElement('canvas');
  canvas.className = 'blur';
  canvas.slot = 'poster';
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const pixels = context.createImageData(WIDTH, HEIGHT);
  pixels.data.set(decode(blurhash, WIDTH, HEIGHT));
  context.putImageData(pixels, 0, 0);
  frame.append(canvas);
}

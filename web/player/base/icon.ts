type Shape = { path: string; isLine?: boolean };

/** Icons on a 24 x 24 grid. Lines are 1.75 units wide and have round ends. */
const SHAPES = {
  play: { path: 'M8.2 5.1a1 1 0 0 1 1.53-.85l9.3 6.06a2 2 0 0 1 0 3.38l-9.3 6.06a1 1 0 0 1-1.53-.85z' },
  pause: {
    path:
      'M7 4.5h2a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1zm8 0h2a1 1 0 0 1 1 1v13a1 1 0 0 ' +
      '1-1 1h-2a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1z',
  },
  replay: { path: 'M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4.5v4h4', isLine: true },
  loud: { path: 'M4 9.8v4.4h3l4.5 3.8V6L7 9.8zM15 9a4.2 4.2 0 0 1 0 6M17.6 6.4a7.9 7.9 0 0 1 0 11.2', isLine: true },
  soft: { path: 'M4 9.8v4.4h3l4.5 3.8V6L7 9.8zM15 9a4.2 4.2 0 0 1 0 6', isLine: true },
  silent: { path: 'M4 9.8v4.4h3l4.5 3.8V6L7 9.8zM15.5 9.7l4.6 4.6M20.1 9.7l-4.6 4.6', isLine: true },
  captions: {
    path:
      'M5.5 5h13A2.500 2.500 0 0 1 21 7.500v9a2.500 2.500 0 0 1-2.500 2.500h-13A2.500 2.500 0 0 1 3 ' +
      '16.500v-9A2.500 2.500 0 0 1 5.500 5zM10.600 10.500a2.200 2.200 0 1 0 0 3M16.900 10.500a2.200 2.200 0 1 0 0 ' +
      '3',
    isLine: true,
  },
  settings: {
    path:
      'M4 7.500h9M17 7.500h3M4 16.500h3M11 16.500h9M15 5.500a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM9 14.500a2 2 0 1 0 0 4 ' +
      '2 2 0 0 0 0-4z',
    isLine: true,
  },
  picture: {
    path:
      'M5.500 5h13A2.500 2.500 0 0 1 21 7.500v4M10.500 19h-5A2.500 2.500 0 0 1 3 16.500v-9A2.500 2.500 0 0 1 ' +
      '5.500 5M13.500 14.500h7v5h-7z',
    isLine: true,
  },
  enterFullscreen: { path: 'M4.500 9V4.500H9M15 4.500h4.500V9M19.500 15v4.500H15M9 19.500H4.500V15', isLine: true },
  exitFullscreen: { path: 'M9 4.500V9H4.500M19.500 9H15V4.500M15 19.500V15h4.500M4.500 15H9v4.500', isLine: true },
  back: { path: 'M4.500 12a7.500 7.500 0 1 0 2.400-5.500M4.500 4.500v4h4', isLine: true },
  forward: { path: 'M19.500 12a7.500 7.500 0 1 1-2.400-5.500M19.500 4.500v4h-4', isLine: true },
  airplay: {
    path:
      'M7 17H5.500A2.500 2.500 0 0 1 3 14.500v-7A2.500 2.500 0 0 1 5.500 5h13A2.500 2.500 0 0 1 21 7.500v7a2.500 ' +
      '2.500 0 0 1-2.500 2.500H17M12 14.500l4 5H8z',
    isLine: true,
  },
  cast: {
    path:
      'M3 8V7.500A2.500 2.500 0 0 1 5.500 5h13A2.500 2.500 0 0 1 21 7.500v9a2.500 2.500 0 0 1-2.500 2.500H14M3 ' +
      '12a7 7 0 0 1 7 7M3 15.500a3.500 3.500 0 0 1 3.500 3.500M3 19h.01',
    isLine: true,
  },
  transcript: { path: 'M5 6h14M5 10.700h9M5 15.400h14M5 20h6', isLine: true },
  waiting: { path: 'M12 5.500a6.500 6.500 0 1 1-6.500 6.500', isLine: true },
  down: { path: 'M6 9.500l6 6 6-6', isLine: true },
  up: { path: 'M6 14.500l6-6 6 6', isLine: true },
  cross: { path: 'M6.500 6.500l11 11M17.500 6.500l-11 11', isLine: true },
  next: { path: 'M9.500 6l6 6-6 6', isLine: true },
  previous: { path: 'M14.500 6l-6 6 6 6', isLine: true },
  nextVideo: { path: 'M6 6.2a1 1 0 0 1 1.55-.83l8.2 5.8a1 1 0 0 1 0 1.66l-8.2 5.8A1 1 0 0 1 6 17.800zM17 5h2v14h-2z' },
  previousVideo: {
    path: 'M18 6.2a1 1 0 0 0-1.55-.83l-8.2 5.8a1 1 0 0 0 0 1.66l8.2 5.8A1 1 0 0 0 18 17.800zM7 5H5v14h2z',
  },
  chosen: { path: 'M5.500 12.500l4.200 4.200 8.800-9.400', isLine: true },
  sound: {
    path:
      'M9.500 17.500V6.200l9-2v11.300M9.500 17.500a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM18.500 ' +
      '15.500a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0z',
    isLine: true,
  },
} satisfies Record<string, Shape>;

export type IconName = keyof typeof SHAPES;

const SVG = 'http://www.w3.org/2000/svg';

export function icon(name: IconName, slot?: string): SVGElement {
  const { path, isLine = false }: Shape = SHAPES[name];
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', isLine ? 'line' : 'solid');
  if (slot !== undefined) svg.setAttribute('slot', slot);
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}

function icon(path: string): string {
  return `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
}

/** Plain shapes on a 24 x 24 grid. */
export const icons = {
  play: icon('M8 5.5v13l11-6.5z'),
  pause: icon('M7 5h4v14H7zM13 5h4v14h-4z'),
  sound: icon('M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM14.5 8.5a5 5 0 0 1 0 7l1.2 1.2a6.7 6.7 0 0 0 0-9.4z'),
  silence: icon(
    'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM14.5 9.7l1.1-1.1 2 2 2-2 1.1 1.1-2 2 2 2-1.1 1.1-2-2-2 2-1.1-1.1 2-2z',
  ),
  captions: icon(
    'M4 5h16v14H4zM6 7v10h12V7zM7.500 13h5v1.700h-5zM14 13h2.500v1.700H14zM7.500 10h2.500v1.700H7.500zM11.500 10h5v1.700h-5z',
  ),
  quality: icon(
    'M4 6.500h9v1.800H4zM15 5h2v5h-2zM17 6.500h3v1.800h-3zM4 15.700h3v1.800H4zM8.500 14.100h2v5h-2zM10.500 15.700H20v1.800h-9.500z',
  ),
  picture: icon('M3 5h18v14H3zM5 7v10h14V7zM12 11.500h6V16h-6z'),
  fullscreen: icon('M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z'),
};

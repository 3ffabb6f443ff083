/** Outlines on a 24 x 24 grid, drawn in the text colour. */
const PATHS = {
  videos: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  collections: 'M4 7h6l2 2h8v10H4z',
  live:
    'M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7.500 7.500a6.400 6.400 0 0 0 0 9M16.500 7.500a6.400 6.400 0 0 1 0 ' +
    '9M4.700 4.700a10.300 10.300 0 0 0 0 14.600M19.300 4.700a10.300 10.300 0 0 1 0 14.600',
  statistics: 'M5 20V10M12 20V4M19 20v-7',
  events: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM9 12l2 2 4-4',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4.500v5M6 14.500v5',
  system: 'M4 5h16v6H4zM4 13h16v6H4zM7 8h.01M7 16h.01',
  reference: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13.500 6l-3 12',
  docs: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M14 3v5h5',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.500 11v6M13.500 11v6',
  search: 'M11 11m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0M15.500 15.500L20 20',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  dense: 'M4 5h16M4 9.500h16M4 14h16M4 18.500h16',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  upload: 'M12 16V5M7 10l5-5 5 5M5 19h14',
  sound: 'M4 10v4M8 7v10M12 4v16M16 8v8M20 10.500v3',
  bell: 'M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 1.500h-15zM10 20.500a2 2 0 0 0 4 0M12 3v2',
  person: 'M12 8m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4.500 20c1-4 4-5.500 7.500-5.500s6.500 1.500 7.500 5.500',
  people:
    'M9 8m-3.500 0a3.500 3.500 0 1 0 7 0a3.500 3.500 0 1 0-7 0M2.500 19c.8-3.500 3.200-5 6.500-5s5.700 1.500 6.500 5' +
    'M15.500 5a3.500 3.500 0 0 1 0 6M17.500 14.500c2.200.6 3.500 2 4 4.500',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4.200 4.200 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4.200 4.200 0 0 0 6 6l1-1',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  code: 'M8 8l-4 4 4 4M16 8l4 4-4 4',
  help:
    'M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.700.300-1 .800-1 ' +
    '1.700M12 17h.01',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  play: 'M7 5l12 7-12 7z',
  pause: 'M8 5v14M16 5v14',
  stepBack: 'M17 6l-8 6 8 6zM6 6v12',
  stepOn: 'M7 6l8 6-8 6zM18 6v12',
  undo: 'M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-4',
  redo: 'M16 5l4 4-4 4M20 9H10a6 6 0 0 0 0 12h4',
  minus: 'M6 12h12',
  plus: 'M6 12h12M12 6v12',
  fit: 'M4 6v12M20 6v12M8 12h8M10 9.500L7.500 12l2.500 2.500M14 9.500l2.500 2.500-2.500 2.500',
  lock: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  unlisted:
    'M10 14a4 4 0 0 0 6 0l3-3a4.200 4.200 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4.200 4.200 0 0 0 6 6l1-1M4 4l16 16',
  out: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

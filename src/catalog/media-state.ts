import type { MediaState } from './schema.ts';

/** Every change of a media item's state, and its cause. Nothing else changes the state: see `media-state-store.ts`. */
export const TRANSITIONS: readonly { from: readonly MediaState[]; to: MediaState; cause: string }[] = [
  { from: ['upload-failed'], to: 'created', cause: 'a new upload starts' },
  { from: ['failed'], to: 'created', cause: 'the video is imported again' },
  { from: ['created'], to: 'upload-failed', cause: 'the upload failed' },
  { from: ['created', 'upload-failed', 'failed'], to: 'uploaded', cause: 'a file is stored' },
  { from: ['finished'], to: 'uploaded', cause: 'a new file or a re-encode' },
  {
    from: ['processing', 'transcoding', 'jit-segmenting', 'jit-ready'],
    to: 'uploaded',
    cause: 're-encode',
  },
  { from: ['uploaded', 'processing'], to: 'processing', cause: 'a worker plans it' },
  { from: ['processing'], to: 'transcoding', cause: 'planned' },
  { from: ['processing'], to: 'jit-segmenting', cause: 'planned on demand' },
  { from: ['created'], to: 'transcoding', cause: 'composed of other videos' },
  { from: ['finished'], to: 'transcoding', cause: 'renditions are added or retried' },
  { from: ['jit-segmenting'], to: 'jit-ready', cause: 'every segment is available on demand' },
  { from: ['transcoding', 'jit-segmenting', 'jit-ready'], to: 'finished', cause: 'all tasks ended' },
  { from: ['created'], to: 'finished', cause: 'a live recording is sealed' },
  {
    from: ['uploaded', 'processing', 'transcoding', 'jit-segmenting', 'jit-ready'],
    to: 'failed',
    cause: 'nothing is playable',
  },
  {
    from: ['uploaded', 'processing'],
    to: 'finished',
    cause: 'a new file or re-encode failed and the old version stays',
  },
  {
    from: ['uploaded', 'processing', 'transcoding', 'jit-segmenting'],
    to: 'jit-ready',
    cause: 'a re-encode failed and segments stay on demand',
  },
];

/** Returns the states from which a media item can enter this one. */
export function statesBefore(to: MediaState): MediaState[] {
  return [...new Set(TRANSITIONS.flatMap((each) => (each.to === to ? each.from : [])))];
}

/** Returns the transitions as a Mermaid state diagram, as shown in `docs/architecture.md`. */
export function stateDiagram(): string {
  const lines = TRANSITIONS.flatMap(({ from, to, cause }) =>
    from.map((state) => `    ${idOf(state)} --> ${idOf(to)}: ${cause}`),
  );
  return ['stateDiagram-v2', '    [*] --> created', ...lines].join('\n');
}

function idOf(state: MediaState): string {
  return state.replace('-', '_');
}

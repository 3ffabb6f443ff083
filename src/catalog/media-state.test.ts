import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { stateDiagram, statesBefore, TRANSITIONS } from './media-state.ts';

test('every state can be entered, and leads to another upload or encode', () => {
  const states = new Set(TRANSITIONS.flatMap(({ from, to }) => [...from, to]));
  for (const state of states) {
    expect(statesBefore(state), state).not.toEqual([]);
    expect(
      TRANSITIONS.some(({ from }) => from.includes(state)),
      state,
    ).toBe(true);
  }
});

test.each([
  { to: 'upload-failed', from: ['created'] },
  {
    to: 'uploaded',
    from: [
      'created',
      'upload-failed',
      'failed',
      'finished',
      'processing',
      'transcoding',
      'jit-segmenting',
      'jit-ready',
    ],
  },
  { to: 'jit-segmenting', from: ['processing'] },
  { to: 'transcoding', from: ['processing', 'created', 'finished'] },
] as const)('$to is entered only from the states that lead to it', ({ to, from }) => {
  expect(new Set(statesBefore(to))).toEqual(new Set(from));
});

test('the diagram in the documentation matches the table', async () => {
  const text = await readFile('docs/architecture.md', 'utf8');
  const diagram = /```mermaid\n([\s\S]*?)\n```/.exec(text)?.[1];
  expect(diagram).toBe(stateDiagram());
});

import { expect, test } from 'vitest';
import { TASK_KINDS } from '../../src/catalog/tasks/task-kind.ts';
import { explainUnoffered } from '../../src/media/probe/explain-unoffered.ts';
import { EMBEDDED_CAPTIONS } from '../../src/media/probe/read-embedded-captions.ts';
import { queueName, TASK_NAMES, taskName, taskState } from '../../web/dashboard/base/task-words.ts';
import { de } from '../../web/dashboard/languages/de.table.ts';
import { leftOut } from '../../web/dashboard/video/left-out.ts';

test('every kind of encode task has its own translated name in the dashboard', () => {
  const sorted = (kinds: readonly string[]) => kinds.toSorted((first, second) => first.localeCompare(second));
  expect(sorted(Object.keys(TASK_NAMES))).toEqual(sorted(TASK_KINDS));
  const names = TASK_KINDS.map(taskName);
  expect(names.filter((name) => !Object.hasOwn(de, name))).toEqual([]);
  expect(new Set(names).size).toBe(TASK_KINDS.length);
});

test('states and queues of encode tasks have translated names in the dashboard', () => {
  const states = ['waiting', 'running', 'done', 'failed'].map(taskState);
  const queues = ['quick', 'long', 'viewers'].map(queueName);
  expect([...states, ...queues].filter((name) => !Object.hasOwn(de, name))).toEqual([]);
});

const textTrack = (streamIndex: number, isText: boolean) => ({
  ...{ streamIndex, codec: isText ? 'subrip' : 'hdmv_pgs_subtitle', language: 'en', title: null, isText },
});

test('the dashboard finds the messages about captions and audio that viewers cannot get, each once', () => {
  const [audio = '', images = '', many = ''] = explainUnoffered([{ streamIndex: 30, codec: 'dts' }], {
    audio: [],
    subtitles: [textTrack(1, false), ...Array.from({ length: 21 }, (_, index) => textTrack(index + 2, true))],
  });
  const guessed = 'Captions "Japanese": the text is Shift_JIS.';
  const cover = 'The cover picture is left out.';
  const messages = [EMBEDDED_CAPTIONS, cover, audio, images, many, guessed, EMBEDDED_CAPTIONS];
  const transcodingMessages = messages.map((message) => ({
    ...{ timeStamp: '2026-11-29T09:00:00', level: 2 as const, issueCode: 2 as const, message, value: '' },
  }));
  expect(leftOut({ transcodingMessages }, 'captions')).toEqual([EMBEDDED_CAPTIONS, images, many, guessed]);
  expect(leftOut({ transcodingMessages }, 'audio')).toEqual([audio]);
  expect(leftOut({ transcodingMessages: null }, 'captions')).toEqual([]);
});

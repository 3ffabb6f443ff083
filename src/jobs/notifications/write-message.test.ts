import { expect, test } from 'vitest';
import {
  addToSummary,
  NOTIFICATION_LANGUAGES,
  type NotificationItem,
} from '../../catalog/notifications/notification.ts';
import { newGuid } from '../../lib/guid.ts';
import { type Draft, writeChatText, writeEmail } from './write-message.ts';

const itemOf = (event: NotificationItem['event']): NotificationItem => ({
  ...{ libraryId: 1, mediaId: newGuid(), event },
  resource: event === 'quota' ? 'storageBytes' : null,
});

/** Returns the draft of a message about items with these titles. */
function draftOf(items: readonly NotificationItem[], title: string | null, language: string | null): Draft {
  const titles = new Map(title === null ? [] : items.map(({ mediaId }) => [mediaId, title]));
  return {
    summary: addToSummary({ counts: [], items: [] }, items),
    names: { titles, libraries: new Map([[1, 'Films']]) },
    language,
    publicUrl: 'https://videos.example.com',
  };
}

test('a title cannot hide the target of a link, or notify everybody', () => {
  const text = writeChatText(draftOf([itemOf('ready')], '[Sign in](https://other.example) @channel', 'en'));
  expect(text).not.toContain('](');
  expect(text).not.toContain('@channel');
});

test('a message about deleted videos has only their number', () => {
  const draft = draftOf([itemOf('ready')], null, null);
  expect(writeChatText(draft)).toBe('Films: Videos ready: 1');
  const { subject, text } = writeEmail(draft);
  expect([subject, text.split('\n')[0]]).toEqual(['Videos ready: 1', 'Videos ready: 1']);
});

test('a chat message fits into 2,000 characters, and counts the events that it does not name', () => {
  const items = Array.from({ length: 40 }, () => itemOf('failed'));
  const text = writeChatText(draftOf(items, '<&>'.repeat(200), 'en'));
  expect(text.length).toBeLessThanOrEqual(2_000);
  const named = text.split('\n').filter((line) => line.startsWith('•')).length;
  expect(named).toBeGreaterThan(0);
  expect(text.endsWith(`… and ${40 - named} more`)).toBe(true);
});

test('a title with line breaks stays in the subject of its e-mail', () => {
  const { subject } = writeEmail(draftOf([itemOf('ready')], 'A\r\nBcc: all@example.com', 'en'));
  expect(subject).toBe('“A Bcc: all@example.com” is ready');
});

test('an e-mail has an HTML part with links, in which a title is only text', () => {
  const items = [itemOf('ready'), itemOf('failed')];
  const { html, text } = writeEmail(draftOf(items, '<img src=x onerror=alert(1)>', 'de'));
  expect(html).toContain('lang="de"');
  expect(html).not.toContain('<img');
  // A title of another direction does not reorder the sentence.
  expect(html).toContain('<bdi>&lt;img src=x onerror=alert(1)&gt;</bdi>');
  for (const { mediaId } of items) {
    const link = `https://videos.example.com/dashboard/library/1/videos/${mediaId}`;
    expect(html).toContain(`href="${link}"`);
    expect(text).toContain(link);
  }
});

test.each(NOTIFICATION_LANGUAGES)('each event has its own sentence with the name: %s', (language) => {
  const sentences = (['ready', 'failed', 'live', 'quota'] as const).map((event) =>
    writeChatText(draftOf([itemOf(event)], 'Films', language)),
  );
  expect(new Set(sentences).size).toBe(4);
  for (const sentence of sentences) expect(sentence).toMatch(/\|Films>/);
  expect(sentences.join('')).not.toMatch(/\{\d\}|storageBytes|undefined/);
});

import {
  NOTIFICATION_EVENTS,
  NOTIFICATION_LANGUAGES,
  type NotificationItem,
  type NotificationLanguage,
  type Summary,
} from '../../catalog/notifications/notification.ts';
import type { SummaryNames } from '../../catalog/notifications/recipient-store.ts';
import { type MailPart, writeMailPage } from '../../lib/write-mail-page.ts';
import type { Mail } from '../../ports/mailer.ts';
import { NOTIFICATION_WORDS, type NotificationWords } from './notification-words.table.ts';

/** Discord accepts 2,000 characters, fewer than Slack and Mattermost. */
const MAX_CHAT_CHARS = 1_900;
const MAX_TITLE_CHARS = 100;

/** A message to be written. `publicUrl` is null if no links can be made. */
export type Draft = { summary: Summary; names: SummaryNames; language: string | null; publicUrl: string | null };

/**
 * Writes an e-mail: a sentence and a link for each named event, the number of the others, and how to stop such e-mails.
 */
export function writeEmail({ summary, names, language, publicUrl }: Draft): Omit<Mail, 'to'> {
  const words = wordsOf(language);
  const named = nameItems(summary, names);
  const sentences = named.map((item) => sentenceOf(item, words, (title) => fill(words.quoted, title)));
  const total = totalOf(summary);
  const [only] = sentences;
  const subject = total === 1 && only !== undefined ? withoutStop(only) : describeCounts(summary, words);
  const lines = named.map((item, index) => lineWithLink(sentences[index] ?? '', linkOf(item, publicUrl)));
  const rest = total - named.length;
  const parts = [
    ...(total === 1 && only !== undefined ? [] : [describeCounts(summary, words)]),
    ...lines,
    ...(rest > 0 && named.length > 0 ? [`… ${fill(words.more, String(rest))}`] : []),
    lineWithLink(words.footer, publicUrl === null ? null : `${publicUrl}/dashboard/account`),
  ];
  const account = publicUrl === null ? null : `${publicUrl}/dashboard/account`;
  const html: MailPart[] = [
    ...named.map((item, index): MailPart => {
      const url = linkOf(item, publicUrl);
      const link = url === null ? null : { text: item.title, url };
      // The sentence about a single event is the heading, so its link follows it.
      return total === 1 && url !== null
        ? { kind: 'text', text: words.open, link: { text: words.open, url } }
        : { kind: 'text', text: sentences[index] ?? '', link };
    }),
    ...(rest > 0 && named.length > 0 ? [{ kind: 'text' as const, text: `… ${fill(words.more, String(rest))}` }] : []),
    {
      kind: 'small',
      text: account === null ? words.footer : `${words.footer} ${account}`,
      link: account === null ? null : { text: account, url: account },
    },
  ];
  return {
    subject,
    text: `${parts.join('\n\n')}\n`,
    html: writeMailPage({ language: languageOf(language), isRtl: false, title: subject, parts: html }),
  };
}

/** Writes a message in the format of Slack (mrkdwn) about the events of a library. */
export function writeChatText({ summary, names, language, publicUrl }: Draft): string {
  const words = wordsOf(language);
  const named = nameItems(summary, names);
  const lineOf = (item: Named) =>
    sentenceOf(item, words, (title) => {
      const link = linkOf(item, publicUrl);
      return link === null ? escapeChat(title) : `<${link}|${escapeChat(title)}>`;
    });
  const total = totalOf(summary);
  const [only] = named;
  if (total === 1 && only !== undefined) return lineOf(only);
  const library = names.libraries.get(summary.counts[0]?.libraryId ?? 0) ?? '';
  const lines = [`${escapeChat(shorten(library))}: ${describeCounts(summary, words)}`];
  let shown = 0;
  for (const item of named) {
    const line = `• ${lineOf(item)}`;
    if ([...lines, line].join('\n').length > MAX_CHAT_CHARS) break;
    lines.push(line);
    shown += 1;
  }
  const rest = total - shown;
  return [...lines, ...(rest > 0 && shown > 0 ? [`… ${fill(words.more, String(rest))}`] : [])].join('\n');
}

/** Writes the message that tests a chat. */
export function writeChatTest(libraryName: string, language: string | null): string {
  return fill(wordsOf(language).test, escapeChat(shorten(libraryName)));
}

type Named = NotificationItem & { title: string };

/** Returns the events whose video or library still exists, with its name. */
function nameItems({ items }: Summary, { titles, libraries }: SummaryNames): Named[] {
  return items.flatMap((item) => {
    const title = item.event === 'quota' ? libraries.get(item.libraryId) : titles.get(item.mediaId);
    return title === undefined ? [] : [{ ...item, title: shorten(title) }];
  });
}

function sentenceOf({ event, title, resource }: Named, words: NotificationWords, quote: (title: string) => string) {
  return fill(words.sentences[event], quote(title), words.resources[resource ?? ''] ?? '');
}

function describeCounts({ counts }: Summary, words: NotificationWords): string {
  return NOTIFICATION_EVENTS.flatMap((event) => {
    const sum = counts.reduce((all, each) => all + (each.event === event ? each.count : 0), 0);
    return sum === 0 ? [] : [fill(words.count, words.labels[event], String(sum))];
  }).join(' · ');
}

function totalOf({ counts }: Summary): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the page of the dashboard that shows the object of an event. */
function linkOf({ event, libraryId, mediaId }: NotificationItem, publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const library = `${publicUrl}/dashboard/library/${libraryId}`;
  if (event === 'quota') return `${library}/settings/quotas`;
  return `${library}/${event === 'live' ? 'live' : 'videos'}/${mediaId}`;
}

function lineWithLink(line: string, link: string | null): string {
  return link === null ? line : `${line}\n${link}`;
}

function wordsOf(language: string | null): NotificationWords {
  return NOTIFICATION_WORDS[languageOf(language)];
}

function languageOf(language: string | null): NotificationLanguage {
  return NOTIFICATION_LANGUAGES.find((code) => code === language) ?? 'en';
}

function fill(template: string, ...values: readonly string[]): string {
  return template.replaceAll(/\{(\d)\}/g, (_, place) => values[Number(place)] ?? '');
}

function withoutStop(sentence: string): string {
  return sentence.replace(/[.。]$/, '');
}

/** Returns a name in one line, cut after 100 characters. */
function shorten(name: string): string {
  const line = name.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const letters = Array.from(line);
  return letters.length <= MAX_TITLE_CHARS ? line : `${letters.slice(0, MAX_TITLE_CHARS - 1).join('')}…`;
}

/**
 * Escapes `&`, `<` and `>` as Slack requires, and replaces `|`, which would end the URL of a link. Mattermost and
 * Discord notify everybody for `@channel` and `@everyone` even in a title, so a zero-width space follows each `@`. One
 * also separates `](`, with which a title could hide the target of a link.
 */
function escapeChat(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('|', '¦')
    .replaceAll('@', '@\u200b')
    .replaceAll('](', ']\u200b(');
}

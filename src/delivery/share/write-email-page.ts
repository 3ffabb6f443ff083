import type { DeliverySettings } from '../../catalog/publications/delivery-settings.ts';
import { CODE_MINUTES } from '../../catalog/shares/share-code-store.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { type MailPart, writeMailPage } from '../../lib/write-mail-page.ts';
import type { Mail } from '../../ports/mailer.ts';
import type { Languages } from '../player/player-words.ts';
import { chooseWords } from '../player/player-words.ts';
import { logo, lookStyle, type Writing, word, writeDocument } from './share-document.ts';

/**
 * State of the form. `asked`: it asks for an address. `sent`: a code may have been sent to the address. `wrong`: the
 * code was wrong. `away`: no mail server is configured.
 */
export type EmailVerdict = 'asked' | 'invalid' | 'sent' | 'wrong' | 'limited' | 'away';

/** Parameter of the page's URL that asks for another address. */
export const OTHER_ADDRESS = 'other-address';

type EmailView = {
  path: string;
  verdict: EmailVerdict;
  /** Address that the viewer entered, or empty. */
  address: string;
  /** Whether a code may have been sent to the address. Then the form asks for it. */
  isSent: boolean;
  /** Settings of the library, or null if they are unknown. */
  settings: DeliverySettings | null;
  language: string;
};

/** Translation keys of the sentences that explain a state. */
const FAULTS: Readonly<Record<EmailVerdict, string | null>> = {
  asked: null,
  sent: null,
  invalid: 'share.email.invalid',
  wrong: 'share.code.wrong',
  limited: 'share.limited',
  away: 'share.email.away',
};

/** Writes the form for the e-mail address of a viewer, or for the code that was sent to it. It shows no domain. */
export function writeEmailPage(view: EmailView, writing: Writing): Buffer {
  const { path, verdict, address, isSent, settings } = view;
  const { language, isRtl, words } = chooseWords(writing.assets.languages, view.language);
  const title = 'share.email.title';
  const fault = FAULTS[verdict];
  const alert = fault === null ? '' : `<p role="alert" class="fault">${word(words, fault)}</p>`;
  const sent = isSent ? `<p role="status">${withMinutes(word(words, 'share.email.sent'))}</p>` : '';
  const email = isSent
    ? `<input name="email" type="hidden" value="${escapeHtml(address)}">
<label for="code">${word(words, 'share.code')}</label>
<input id="code" name="code" required inputmode="numeric" autocomplete="one-time-code" autofocus maxlength="20">`
    : `<label for="email">${word(words, 'share.email')}</label>
<input id="email" name="email" type="email" required autocomplete="email" autofocus maxlength="254"
 value="${escapeHtml(address)}">`;
  const button = word(words, isSent ? 'share.open' : 'share.email.send');
  const again = isSent
    ? `<p><a href="${escapeHtml(path)}?${OTHER_ADDRESS}=1">${word(words, 'share.email.again')}</a></p>`
    : '';
  return writeDocument(
    { title: words[title] ?? '', language, isRtl, style: lookStyle(settings), status: null, head: '' },
    `<main class="notice">
${logo(path, settings)}
<h1>${word(words, title)}</h1>
${sent}
<form method="post" action="${escapeHtml(path)}">
${email}
${alert}
<button type="submit" class="button">${button}</button>
</form>
${again}
</main>`,
    writing,
  );
}

/** Writes the e-mail with a code. It does not name the video. */
export function writeCodeMail(code: string, languages: Languages, wanted: string): Omit<Mail, 'to'> {
  const { language, isRtl, words } = chooseWords(languages, wanted);
  const fill = (text = '') => withMinutes(text.replaceAll('{code}', code));
  const subject = fill(words['share.mail.subject']);
  const text = fill(words['share.mail.text']);
  const [how = '', ...rest] = text.split('\n\n');
  const parts: MailPart[] = [
    { kind: 'code', text: code },
    { kind: 'text', text: how },
    ...rest.map((remark) => ({ kind: 'small' as const, text: remark })),
  ];
  const title = words['share.email.title'] ?? subject;
  return { subject, text: `${text}\n`, html: writeMailPage({ language, isRtl, title, parts }) };
}

/** Fills in the time for which a code is valid. */
function withMinutes(text: string): string {
  return text.replaceAll('{minutes}', `${CODE_MINUTES}`);
}

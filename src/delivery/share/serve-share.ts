import { imageKey } from '../../catalog/libraries/library-image.ts';
import type { DeliverySettings } from '../../catalog/publications/delivery-settings.ts';
import { readEmailAddress } from '../../catalog/shares/email-domain.ts';
import { hasShareExpired, isShareOpen, type Share, shareEndSec } from '../../catalog/shares/share.ts';
import type { SharePart } from '../../catalog/shield/admission/edge-path.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { serveObject } from '../files/serve-file.ts';
import { type Answer, CACHE_PRIVATELY, notFound } from '../http/answer.ts';
import { bestMp4File } from '../mp4/serve-mp4.ts';
import { refusedPage } from '../player/serve-player.ts';
import { readPlayRequest } from '../shield/play-request.ts';
import { fileUrlFor } from '../shield/sign-for-viewer.ts';
import { readSentAddress, writeSentAddress } from './sent-address.ts';
import { serveCollection } from './serve-collection.ts';
import { MAX_COMMENT_BYTES, serveComments, takeComment } from './serve-comments.ts';
import {
  type Asked,
  type AskedShare,
  languageOf,
  notice,
  originOf,
  page,
  parameterOf,
  pathOf,
  redirect,
  type ShareDeps,
  UNLISTED,
} from './share-answers.ts';
import type { SharePass } from './share-pass.ts';
import { downloadUrl, openVideo, playerUrl, type SharedVideo } from './shared-video.ts';
import { type EmailVerdict, OTHER_ADDRESS, writeCodeMail, writeEmailPage } from './write-email-page.ts';
import { writePasswordPage, writeSharePage } from './write-share-page.ts';

const MAX_FORM_BYTES = 4_096;
const MAX_SHOWN_ADDRESS_CHARS = 254;

/**
 * Serves the page of a share, redirects to its player with a token for this viewer, or redirects to the file that it
 * offers. A share replaces the embed token and `AllowDirectPlay`. All other rules of the library apply.
 */
export async function serveShare(admitted: Asked, part: SharePart, deps: ShareDeps): Promise<Answer> {
  if (part === 'logo') return serveLogo(admitted, deps);
  const share = await openShare(admitted, deps);
  if ('kind' in share) return share;
  if (part === 'comments') return serveComments({ admitted, share }, deps);
  const { target } = share;
  if (target.kind === 'collection') {
    return serveCollection({ admitted, share }, { collectionId: target.collectionId, part }, deps);
  }
  if (part === 'list') return notFound('unknown-video');
  const found = await openVideo({ admitted, share }, target.mediaId, deps);
  if ('kind' in found) return found;
  if (part === 'page') return pageOf(admitted, found, deps);
  if (part === 'player') return redirect(playerUrl(admitted, found));
  const url = downloadUrl(admitted, found);
  return url === null ? notice(admitted, 'gone', deps) : redirect(url);
}

/** Serves the logo of the library, which is also shown on the password page. */
async function serveLogo(admitted: Asked, deps: ShareDeps): Promise<Answer> {
  const { share, nowMs } = admitted.request;
  if (share === null || hasShareExpired(share, nowMs)) return notFound('unknown-picture');
  const version = (await settingsOf(admitted, share, deps))?.logoVersion ?? null;
  if (version === null) return notFound('unknown-picture');
  const answer = await serveObject(imageKey(share.libraryId, 'logo', version), 'image/png', deps.storage);
  return answer.kind === 'problem' ? answer : { ...answer, cacheControl: CACHE_PRIVATELY };
}

/** Adds a comment of a viewer who has passed the checks of the share. Others get the response that refuses the page. */
export async function takeShareComment(admitted: Asked, deps: ShareDeps): Promise<Answer> {
  const body = await readBytes(admitted.request.message, { what: 'a comment', limitBytes: MAX_COMMENT_BYTES });
  const share = await openShare(admitted, deps);
  return 'kind' in share ? share : takeComment({ admitted, share }, body, deps);
}

/** Checks the password, or the e-mail address or code, that a viewer entered. Redirects to the page if it is right. */
export async function takeShareForm(admitted: Asked, deps: ShareDeps): Promise<Answer> {
  const { message, share, nowMs } = admitted.request;
  const body = await readBytes(message, { what: 'a form', limitBytes: MAX_FORM_BYTES });
  if (share === null || isShareOpen(share) || hasShareExpired(share, nowMs)) return serveShare(admitted, 'page', deps);
  const refusal = await refusalOf(admitted, share, deps);
  if (refusal !== null) return refusal;
  const form = new URLSearchParams(body.toString());
  if (lacksPassword(admitted, share, deps)) return takePassword({ admitted, share }, form, deps);
  if (lacksEmail(admitted, share, deps)) return takeEmail({ admitted, share }, form, deps);
  return serveShare(admitted, 'page', deps);
}

async function takePassword({ admitted, share }: AskedShare, form: URLSearchParams, deps: ShareDeps): Promise<Answer> {
  const verdict = await deps.passwords.check(share, form.get('password') ?? '', admitted.request.client.key);
  if (verdict !== 'right') return passwordPage(admitted, { share, verdict }, deps);
  return redirectWithPass({ admitted, share }, deps.passwords.writePass, deps);
}

async function takeEmail({ admitted, share }: AskedShare, form: URLSearchParams, deps: ShareDeps): Promise<Answer> {
  const { client } = admitted.request;
  const [address, code] = [form.get('email') ?? '', form.get('code')];
  if (!deps.emails.isAvailable) return emailPage({ admitted, share }, { verdict: 'away', address }, deps);
  if (code === null) return requestCode({ admitted, share }, address, deps);
  const verdict = await deps.emails.check(share, { text: address, code }, client);
  if (verdict !== 'right') return emailPage({ admitted, share }, { verdict, address, isSent: true }, deps);
  // The address is the name of the viewer in comments, which other shares do not need.
  const holder = share.allowsComments ? (readEmailAddress(address) ?? '') : '';
  const write: SharePass['writePass'] = (of, path, place) => deps.emails.writePass(of, path, { ...place, holder });
  return redirectWithPass({ admitted, share }, write, deps);
}

/** Sends a code. Redirects to the form for it, so that reloading that page does not send another code. */
async function requestCode({ admitted, share }: AskedShare, address: string, deps: ShareDeps): Promise<Answer> {
  const { client, message } = admitted.request;
  const write = (sent: string) => writeCodeMail(sent, deps.player.languages, languageOf(admitted.request));
  const verdict = deps.emails.request(share, address, client, write);
  const known = readEmailAddress(address);
  if (verdict === 'sent' && known !== null) {
    const path = pathOf(admitted);
    const isSecure = originOf(admitted, deps).startsWith('https:');
    return redirect(path, { 'Set-Cookie': writeSentAddress(known, path, { isSecure }) });
  }
  // A code that was sent before can still be entered.
  const isSent = verdict === 'limited' && known === readSentAddress(message);
  return emailPage({ admitted, share }, { verdict, address, isSent }, deps);
}

function redirectWithPass({ admitted, share }: AskedShare, write: SharePass['writePass'], deps: ShareDeps): Answer {
  const path = pathOf(admitted);
  const isSecure = originOf(admitted, deps).startsWith('https:');
  return redirect(path, { 'Set-Cookie': write(share, path, { isSecure, nowMs: admitted.request.nowMs }) });
}

function lacksPassword({ request: { message, nowMs } }: Asked, share: Share, { passwords }: ShareDeps): boolean {
  return share.passwordHash !== null && !passwords.holdsPass(share, message, nowMs);
}

function lacksEmail({ request: { message, nowMs } }: Asked, share: Share, { emails }: ShareDeps): boolean {
  if (share.emailDomains.length === 0) return false;
  // A pass from before comments were allowed does not name the viewer.
  return share.allowsComments
    ? emails.holderOf(share, message, nowMs) === null
    : !emails.holdsPass(share, message, nowMs);
}

/** Returns the share if the viewer may see it, or the page that explains why not. */
async function openShare(admitted: Asked, deps: ShareDeps): Promise<Share | Answer> {
  const { share, nowMs } = admitted.request;
  if (share === null) return notice(admitted, 'gone', deps);
  const refusal = await refusalOf(admitted, share, deps);
  if (refusal !== null) return refusal;
  if (hasShareExpired(share, nowMs)) return notice(admitted, 'expired', deps);
  if (lacksPassword(admitted, share, deps)) return passwordPage(admitted, { share, verdict: 'asked' }, deps);
  if (lacksEmail(admitted, share, deps)) {
    if (!deps.emails.isAvailable) return emailPage({ admitted, share }, { verdict: 'away', address: '' }, deps);
    const sentTo = parameterOf(admitted, OTHER_ADDRESS) === '' ? readSentAddress(admitted.request.message) : null;
    if (sentTo === null) return emailPage({ admitted, share }, { verdict: 'asked', address: '' }, deps);
    return emailPage({ admitted, share }, { verdict: 'sent', address: sentTo, isSent: true }, deps);
  }
  return share;
}

/** Returns the settings of the library, or null if the shared video or collection does not exist. */
async function settingsOf(admitted: Asked, share: Share, deps: ShareDeps): Promise<DeliverySettings | null> {
  const { libraryId, target } = share;
  const found =
    target.kind === 'video'
      ? await deps.reader.find(admitted, { libraryId, mediaId: target.mediaId }, deps.budgets)
      : await deps.playlists.find({ libraryId, ...target }, admitted.request.client, deps.budgets);
  return found?.settings ?? null;
}

/**
 * Returns the page that explains a refusal by the referrer rules, or null if they allow the viewer. IP address, country
 * and rates were checked before.
 */
async function refusalOf({ request }: Asked, share: Share, { playback, player }: ShareDeps): Promise<Answer | null> {
  const problem = await playback.authorizePage(share, readPlayRequest(request.message));
  if (problem === null) return null;
  const page = refusedPage(problem, { uiLanguage: languageOf(request), lacksToken: false, assets: player });
  return { ...page, headers: { ...page.headers, ...UNLISTED } };
}

function pageOf(admitted: Asked, { share, publication }: SharedVideo, deps: ShareDeps): Answer {
  const path = pathOf(admitted);
  const origin = originOf(admitted, deps);
  const start = parameterOf(admitted, 't');
  const view = {
    path,
    origin,
    fileUrl: (file: string) => fileUrlFor({ ...publication, file }, admitted, shareEndSec(share)),
    apiUrl: deps.apiUrl,
    allowsComments: share.allowsComments,
    knownAs:
      share.emailDomains.length > 0
        ? deps.emails.holderOf(share, admitted.request.message, admitted.request.nowMs)
        : null,
    hasDownload: share.allowsDownload && bestMp4File(publication) !== null,
    isOpen: isShareOpen(share),
    start: /^[\w:.]{1,20}$/.test(start) ? start : '',
  };
  return page({ status: 200 }, (nonce) => writeSharePage(publication, view, { assets: deps.player, nonce }));
}

async function passwordPage(
  admitted: Asked,
  { share, verdict }: { share: Share; verdict: 'asked' | 'wrong' | 'limited' },
  deps: ShareDeps,
): Promise<Answer> {
  // The page shows nothing but the settings of the library.
  const settings = await settingsOf(admitted, share, deps);
  const view = { path: pathOf(admitted), verdict, settings, language: languageOf(admitted.request) };
  const status = verdict === 'limited' ? 429 : 403;
  return page({ status }, (nonce) => writePasswordPage(view, { assets: deps.player, nonce }));
}

async function emailPage(
  { admitted, share }: AskedShare,
  { verdict, address, isSent = false }: { verdict: EmailVerdict; address: string; isSent?: boolean },
  deps: ShareDeps,
): Promise<Answer> {
  const settings = await settingsOf(admitted, share, deps);
  const shown = address.slice(0, MAX_SHOWN_ADDRESS_CHARS);
  const asked = { verdict, address: shown, isSent };
  const view = { path: pathOf(admitted), ...asked, settings, language: languageOf(admitted.request) };
  const status = verdict === 'limited' ? 429 : 403;
  return page({ status }, (nonce) => writeEmailPage(view, { assets: deps.player, nonce }));
}

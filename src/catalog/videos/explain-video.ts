import type { VideoScrub } from '../scrub/scrub-store.ts';
import type { Experience } from '../statistics/reports/experience-store.ts';
import type { TaskActivity } from './activity-store.ts';
import type { Outlook } from './outlook.ts';
import type { StoredVideo } from './rendition-view-store.ts';

/** Remedy for a finding. The dashboard shows a button for it. */
export type Remedy = 'upload' | 'reencode' | 'retry' | 'open-rules' | 'open-queue' | null;

/**
 * A sentence about why a video does, or does not, play as it should. `kind` is the machine-readable name of the
 * sentence.
 */
export type Finding = { kind: string; level: 'good' | 'wait' | 'bad'; sentence: string; remedy: Remedy };

/** Names of countries (ISO 3166-1 alpha-2) in English, like all sentences of the service. */
const COUNTRY = new Intl.DisplayNames('en', { type: 'region' });

export type WhyView = {
  outlook: Outlook;
  stored: StoredVideo;
  tasks: readonly TaskActivity[];
  experiences: readonly Experience[];
  scrub: VideoScrub | null;
  access: { needsToken: boolean; isPrivate: boolean; allowedReferrers: readonly string[]; blocksNoReferrer: boolean };
};

const CANCELLED = 'Its encoding was cancelled. The video was not changed.';
const SLOW_START_MS = 2_000;
const OFTEN_STALLED = 0.1;
/** Minimum number of sessions for a percentage to be meaningful. */
const ENOUGH_SESSIONS = 5;

/** Explains in sentences why a video does not play, waits, or starts slowly; most urgent first. */
export function explainVideo(view: WhyView): Finding[] {
  const findings = [
    stateOf(view),
    ...failuresOf(view),
    ...storedOf(view),
    ...scrubOf(view),
    ...accessOf(view),
    ...experienceOf(view),
  ];
  const rank = { bad: 0, wait: 1, good: 2 };
  return findings.toSorted((first, second) => rank[first.level] - rank[second.level]);
}

function stateOf({ outlook, stored }: WhyView): Finding {
  const sentence = outlook.message;
  switch (stored.state) {
    case 'created':
      return { kind: 'no-file', level: 'bad', sentence: `No file received yet. ${sentence}`, remedy: 'upload' };
    case 'upload-failed':
      return { kind: 'upload-failed', level: 'bad', sentence, remedy: 'upload' };
    case 'failed':
      return { kind: 'failed', level: 'bad', sentence, remedy: isRepeatable(outlook, stored) ? 'reencode' : 'upload' };
    case 'finished':
      return finishedAs(stored);
    default:
      return { kind: 'encoding', level: 'wait', sentence, remedy: 'open-queue' };
  }
}

/** Returns whether encoding the stored original again can succeed. */
function isRepeatable({ needsOtherFile }: Outlook, { originalBytes }: StoredVideo): boolean {
  return originalBytes !== null && !needsOtherFile;
}

function finishedAs({ isCancelled, originalBytes }: StoredVideo): Finding {
  if (isCancelled) {
    const remedy = originalBytes === null ? null : 'reencode';
    return { kind: 'cancelled', level: 'wait', sentence: CANCELLED, remedy };
  }
  const sentence = 'All planned files are stored and listed.';
  return { kind: 'finished', level: 'good', sentence, remedy: null };
}

function nameAudio(language: string | null): string {
  return language === null || language === 'und' ? 'The audio' : `The audio (${language})`;
}

function failuresOf({ tasks, stored }: WhyView): Finding[] {
  const failed = stored.renditions.filter(({ state, isRetired }) => state === 'failed' && !isRetired);
  const found: Finding[] = failed.map(({ kind, rung, language }) => ({
    kind: 'rendition-failed',
    level: 'bad',
    sentence: `${kind === 'audio' ? nameAudio(language) : `The ${rung ?? ''}p rendition`} could not be encoded.`,
    // A failed video is re-encoded completely, as the sentence for its state explains.
    remedy: stored.state === 'failed' ? null : 'retry',
  }));
  const tried = tasks.filter(({ state, failures, deaths }) => state === 'waiting' && failures + deaths > 0);
  return [
    ...found,
    ...tried.slice(0, 3).map(
      ({ renditions, failures, deaths, reason }): Finding => ({
        kind: 'tried-again',
        level: 'wait',
        sentence:
          `${renditions.join(', ') || 'A part'} is tried again after ${failures + deaths} failed attempts: ` +
          `${reason ?? 'no reason was recorded'}.`,
        remedy: 'open-queue',
      }),
    ),
  ];
}

function storedOf({ stored }: WhyView): Finding[] {
  const active = stored.renditions.filter(({ isActive, state }) => isActive && state !== 'failed');
  const videoRenditions = active.filter(({ kind }) => kind === 'video');
  const playable = videoRenditions.filter(({ hasStart, isOnDemand }) => hasStart || isOnDemand);
  if (videoRenditions.length === 0) return [];
  if (playable.length === 0) {
    const sentence = 'No rendition has its first segment yet, so players get no playlist.';
    return [{ kind: 'not-playable', level: 'wait', sentence, remedy: 'open-queue' }];
  }
  const rungs = [...new Set(playable.flatMap(({ rung }) => (rung === null ? [] : [`${rung}p`])))];
  return [{ kind: 'playable', level: 'good', sentence: `Players are offered ${rungs.join(', ')}.`, remedy: null }];
}

function scrubOf({ scrub, stored }: WhyView): Finding[] {
  if (scrub === null || stored.state !== 'finished') return [];
  const began = scrub.roundBeganAt.toISOString().slice(0, 10);
  const sentence = scrub.isRead
    ? `Its stored files were read and compared with their hashes in the scrub that began on ${began} (UTC).`
    : `The scrub that began on ${began} (UTC) has not reached it yet.`;
  return [{ kind: 'scrub', level: 'good', sentence, remedy: null }];
}

function accessOf({ access }: WhyView): Finding[] {
  const found: Finding[] = [];
  const add = (kind: string, sentence: string) => found.push({ kind, level: 'wait', sentence, remedy: 'open-rules' });
  if (access.isPrivate)
    add('private', 'The video is private. It plays only with a signed URL or a share link of this video.');
  if (access.needsToken) add('token', 'The library requires signed URLs. An embed without a token is blocked.');
  if (access.allowedReferrers.length > 0)
    add('referrers', `Only pages of ${access.allowedReferrers.join(', ')} may embed it. All others are blocked.`);
  if (access.blocksNoReferrer)
    add('no-referrer', 'Pages that send no referrer (Referrer-Policy: no-referrer, some apps) are blocked.');
  return found;
}

function experienceOf({ experiences }: WhyView): Finding[] {
  return experiences
    .filter(({ sessions }) => sessions >= ENOUGH_SESSIONS)
    .flatMap(({ country, sessions, startupMs, stalled, failures }): Finding[] => {
      const place = country === '' ? 'an unknown country' : (COUNTRY.of(country) ?? country);
      const slow = startupMs !== null && startupMs > SLOW_START_MS;
      const stalls = stalled / sessions > OFTEN_STALLED;
      return [
        ...(slow
          ? [
              say(
                'slow-start',
                `Viewers in ${place} wait ${(startupMs / 1000).toFixed(1)} s for the first picture (median of ` +
                  `${sessions} sessions).`,
              ),
            ]
          : []),
        ...(stalls
          ? [say('stalls', `In ${place}, ${Math.round((100 * stalled) / sessions)} % of ${sessions} views stalled.`)]
          : []),
        ...(failures > 0
          ? [say('failures', `Failures of playback in the last seven days in ${place}: ${failures}.`)]
          : []),
      ];
    });
}

function say(kind: string, sentence: string): Finding {
  return { kind, level: 'wait', sentence, remedy: null };
}

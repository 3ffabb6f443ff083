import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { Say } from '../base/say.ts';
import type { View } from '../session.ts';

/**
 * Content of a panel over the video. `percent` is the value of the progress bar, or null without one. `tone` selects
 * the icon. With `isBeside`, the video stays visible, which is used for the trailer or the preview of a stream.
 */
export type Notice = {
  title: string;
  text: string;
  percent: number | 'unknown' | null;
  tone: 'busy' | 'calm' | 'stop';
  isBeside?: boolean;
  /** Text of the button that opens the recording. */
  button?: string;
};

const CODE = /^[a-z][a-z0-9-]*$/;

/** Returns the notice of a view, or null if playback needs none. `nowMs` is used for the countdown to a start. */
export function noticeOf(view: View, source: PlayerSource | null, say: Say, nowMs: number): Notice | null {
  const calm = (key: string, text = say(`${key}.text`)): Notice => ({
    title: say(key),
    text,
    percent: null,
    tone: 'calm',
  });
  const stop = (title: string, text: string): Notice => ({ title, text, percent: null, tone: 'stop' });
  const busy = (key: string, percent: number): Notice => ({
    title: say(key),
    text: percent > 0 ? say('percent', { percent: Math.floor(percent) }) : say(`${key}.text`),
    percent: percent > 0 ? percent : 'unknown',
    tone: 'busy',
  });
  switch (view.kind) {
    case 'waiting':
      return calm('state.waiting');
    case 'processing':
      return source === null ? busy('state.processing', view.percent) : null;
    case 'finished':
      return source === null ? busy('state.almost', 0) : null;
    case 'failed':
      return stop(say('state.failed'), sayFailure(view.reason, say));
    case 'gone':
      return stop(say('state.gone'), say('state.gone.text'));
    case 'refused':
      if (view.code.startsWith('quota-')) return stop(say('state.limited'), say('refused.quota'));
      return stop(say('state.refused'), sayOr(say, `refused.${view.code}`, 'refused.other'));
    case 'denied':
      return stop(say('state.failed'), say(view.key));
    case 'countdown':
      return { ...calm('state.countdown', countdown(view.startsAtMs - nowMs, say)), isBeside: source !== null };
    case 'awaiting-publisher':
      return { ...calm('state.awaiting'), isBeside: source !== null };
    case 'preview':
      return { ...calm('state.preview'), isBeside: source !== null };
    case 'live':
      return source === null ? busy('state.starting', 0) : null;
    case 'reconnecting':
      return source === null ? calm('state.reconnecting') : null;
    case 'stream-ended':
      return source === null ? calm('state.ended') : null;
    case 'over':
      switch (view.recording) {
        case 'none':
          return calm('state.ended');
        case 'preparing':
          return { ...busy('state.ended.preparing', view.percent), title: say('state.ended') };
        case 'ready':
          return { ...calm('state.ended', ''), button: say('watchRecording') };
      }
      break;
    case 'converting':
      return source === null ? busy('state.converting', view.percent) : null;
  }
}

/**
 * Converts a failure code to a sentence in the viewer's language. Returns a reason that is already a sentence
 * unchanged.
 */
export function sayFailure(reason: string, say: Say): string {
  return CODE.test(reason) ? sayOr(say, `failed.${reason}`, 'failed.other') : reason;
}

/** Formats the remaining time, such as `1 d 02:03:04`, or returns the text "starts soon" after the planned time. */
export function countdown(leftMs: number, say: Say): string {
  if (leftMs < 1_000) return say('state.countdown.soon');
  const sec = Math.floor(leftMs / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${two(Math.floor(sec / 3600) % 24)}:${two(Math.floor(sec / 60) % 60)}:${two(sec % 60)}`;
  const days = Math.floor(sec / 86_400);
  return days > 0 ? say('state.countdown.days', { days, clock }) : clock;
}

function sayOr(say: Say, key: string, other: string): string {
  const text = say(key);
  return text === key ? say(other) : text;
}

import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser, SMALL_PAGE } from '../../support/browser.ts';
import { Firefox } from '../../support/firefox.ts';
import { measureRecording } from './measure-recording.ts';
import type { Outcome, Trial } from './trial.ts';

/** Timeout of a trial that only a hang exceeds. Each of its five steps has its own timeout. */
const TRIAL_MS = 270_000;
const LOOK_EACH_MS = 500;

/** The page operations that Playwright and the Firefox driver share. */
type Tab = {
  goto(url: string): Promise<unknown>;
  evaluate<Answer, Arg>(run: (arg: Arg) => Answer | Promise<Answer>, arg: Arg): Promise<Answer>;
  close(): Promise<void>;
};
export type TrialBrowser = { name: string; capture: Trial['capture']; newPage(): Promise<Tab>; close(): Promise<void> };

/** Globals defined by `page.ts`. */
type TrialWindow = { beginTrial(trial: Trial): void; trialResult: Outcome | { error: string } | null };

export async function openChromium(): Promise<TrialBrowser> {
  const browser = await openBrowser();
  const newPage = async (): Promise<Tab> => {
    const page = await browser.newPage(SMALL_PAGE);
    return {
      goto: (url) => page.goto(url),
      // Playwright unwraps handles in argument types; there are none here.
      evaluate: (run, arg) => page.evaluate(run as never, arg),
      close: () => page.close(),
    };
  };
  const name = `Chromium ${browser.version().split('.')[0]}`;
  return { name, capture: 'web-audio', newPage, close: () => browser.close() };
}

export async function openFirefox(): Promise<TrialBrowser> {
  const browser = await Firefox.launch();
  const page = await browser.newPage();
  const name = await page.evaluate(() => /Firefox\/\d+/.exec(navigator.userAgent)?.[0].replace('/', ' ') ?? 'Firefox');
  await page.close();
  return { name, capture: 'recording', newPage: () => browser.newPage(), close: () => browser.close() };
}

/** Opens a player's page, runs its trial and polls for the result. */
export async function tryInBrowser(
  browser: TrialBrowser,
  { page: address, trial, folder }: { page: string; trial: Omit<Trial, 'capture'>; folder: string },
): Promise<Outcome> {
  const page = await browser.newPage();
  try {
    await page.goto(address);
    await page.evaluate((whole: Trial) => (window as unknown as TrialWindow).beginTrial(whole), {
      ...trial,
      capture: browser.capture,
    });
    const endMs = performance.now() + TRIAL_MS;
    for (;;) {
      const result = await page.evaluate(() => (window as unknown as TrialWindow).trialResult, null);
      if (result !== null && 'error' in result) throw new Error(result.error);
      if (result !== null) return await withRecording(result, folder);
      if (performance.now() > endMs) throw new Error(`Expected a result within ${TRIAL_MS} ms.`);
      await sleep(LOOK_EACH_MS);
    }
  } finally {
    await page.close();
  }
}

/** Measures the offset between audio and video in the page's recording. */
async function withRecording(outcome: Outcome, folder: string): Promise<Outcome> {
  const { play } = outcome;
  if (!play.isGood || play.value.recording === null) return outcome;
  const { pictureMs, recording } = play.value;
  const file = path.join(folder, 'recording.webm');
  await writeFile(file, Buffer.from(recording, 'base64'));
  const measured = await measureRecording(file);
  await rm(file);
  const soundMs = pictureMs + measured.soundMs - measured.pictureMs;
  return { ...outcome, play: { isGood: true, value: { pictureMs, soundMs, recording: null } } };
}

/** Returns the outcome for a player whose page failed to produce one. */
export function failEverything(error: Error): Outcome {
  const failed = { isGood: false, reason: error.message } as const;
  return { play: failed, seek: failed, switch: failed, end: failed, replay: failed };
}

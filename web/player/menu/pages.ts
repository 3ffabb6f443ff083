import { writeTime } from '../base/time.ts';
import type { CaptionTracks } from '../captions/caption-tracks.ts';
import { CAPTION_CHOICES, type CaptionChoice, type CaptionsStyle } from '../captions/captions-style.ts';
import type { ControlParts } from '../parts.ts';
import type { MenuEntry, MenuPage } from './menu.ts';
import { nameLanguage } from './name-language.ts';

type Lists = ControlParts & { captions: CaptionTracks; style: CaptionsStyle; seek(sec: number): void };

/** Returns the pages of the settings menu, and of the chapter list. */
export function menuPages(lists: Lists): MenuPage[] {
  const { say } = lists;
  return [
    { id: 'settings', title: say('settings'), parent: null, entries: () => settings(lists) },
    { id: 'quality', title: say('quality'), parent: 'settings', entries: () => qualities(lists) },
    { id: 'speed', title: say('speed'), parent: 'settings', entries: () => speeds(lists) },
    { id: 'sound', title: say('sound'), parent: 'settings', entries: () => audioTracks(lists) },
    { id: 'captions', title: say('captions'), parent: 'settings', entries: () => captions(lists) },
    { id: 'captions-style', title: say('captionsStyle'), parent: 'captions', entries: () => styles(lists) },
    ...(['size', 'color', 'background'] as const).map((choice) => ({
      id: `captions-${choice}`,
      title: say(`captions.${choice}`),
      parent: 'captions-style',
      entries: () => styleChoices(lists, choice),
    })),
    { id: 'chapters', title: say('chapters'), parent: null, entries: () => chapters(lists) },
    { id: 'settings-chapters', title: say('chapters'), parent: 'settings', entries: () => chapters(lists) },
  ];
}

/** Returns whether the settings offer any choice. */
export function hasSettings(lists: Lists): boolean {
  return settings(lists).length > 0;
}

function settings(lists: Lists): MenuEntry[] {
  const { say, engine, video, options, session } = lists;
  const page = (id: string, label: string, value: string): MenuEntry => ({ kind: 'page', page: id, label, value });
  const entries: MenuEntry[] = [];
  const hasPicture = session.state.source?.hasPicture ?? true;
  if (engine.qualities.length > 0 && hasPicture) entries.push(page('quality', say('quality'), nameQuality(lists)));
  if (options.showsSpeed && !session.isLive)
    entries.push(page('speed', say('speed'), nameSpeed(lists, video.playbackRate)));
  if (lists.captions.all.length > 0) {
    entries.push(page('captions', say('captions'), lists.captions.shown?.label ?? say('off')));
  }
  if (engine.audioTracks.length > 1) {
    const audio = engine.audioTracks.find(({ index }) => index === engine.audioIndex);
    entries.push(page('sound', say('sound'), audio === undefined ? '' : nameAudio(audio)));
  }
  if (session.state.details.chapters.length > 0 && hidesChapters(lists)) {
    const now = chapters(lists).find((entry) => entry.kind === 'choice' && entry.isChosen);
    entries.push(page('settings-chapters', say('chapters'), now?.label ?? ''));
  }
  return entries;
}

/** Returns whether there is no space for the chapter button, as in narrow frames and compact controls. */
function hidesChapters({ frame }: Lists): boolean {
  return frame.querySelector('.chapter')?.getClientRects().length === 0;
}

function qualities({ engine, say }: Lists): MenuEntry[] {
  const shown = engine.shown;
  const auto = shown === null ? say('auto') : say('autoActual', { actual: `${shown.heightPx}p` });
  const entry = (label: string, heightPx: number | null, detail?: string): MenuEntry => ({
    kind: 'choice',
    label,
    ...(detail === undefined ? {} : { detail }),
    isChosen: engine.wantedHeightPx === heightPx,
    choose: () => engine.choose(heightPx),
  });
  const heights = engine.qualities.map(({ heightPx }) => entry(`${heightPx}p`, heightPx, tagOf(heightPx)));
  return [entry(auto, null), ...heights];
}

function tagOf(heightPx: number): string | undefined {
  if (heightPx >= 2160) return '4K';
  return heightPx >= 720 ? 'HD' : undefined;
}

function nameQuality({ engine, say }: Lists): string {
  if (engine.wantedHeightPx !== null) return `${engine.wantedHeightPx}p`;
  return engine.shown === null ? say('auto') : say('autoActual', { actual: `${engine.shown.heightPx}p` });
}

function speeds(lists: Lists): MenuEntry[] {
  const { config, video, memory } = lists;
  const rates = [...new Set([...config.look.playbackSpeeds, 1])].filter((rate) => rate > 0).sort((a, b) => a - b);
  return rates.map((rate) => ({
    kind: 'choice',
    label: nameSpeed(lists, rate),
    isChosen: video.playbackRate === rate,
    choose() {
      video.playbackRate = rate;
      memory.keep('rate', rate);
    },
  }));
}

function nameSpeed({ say }: Lists, rate: number): string {
  return rate === 1 ? say('normal') : `${rate.toLocaleString(document.documentElement.lang)}×`;
}

function audioTracks({ engine }: Lists): MenuEntry[] {
  return engine.audioTracks.map((audio) => ({
    kind: 'choice',
    label: nameAudio(audio),
    isChosen: engine.audioIndex === audio.index,
    choose: () => engine.chooseAudio(audio.index),
  }));
}

type NamedAudio = { label: string; language: string; channels: number | null };

function nameAudio({ label, language, channels }: NamedAudio): string {
  const name = label === '' || label.toLowerCase() === language.toLowerCase() ? nameLanguage(language) : label;
  return channels === 6 ? `${name} (5.1)` : name;
}

function captions({ captions: tracks, say }: Lists): MenuEntry[] {
  const { shown } = tracks;
  const choice = (label: string, track: TextTrack | null): MenuEntry => ({
    kind: 'choice',
    label,
    isChosen: shown === track,
    choose: () => tracks.select(track),
  });
  const named = tracks.all.map((track) => choice(track.label || nameLanguage(track.language), track));
  return [
    choice(say('off'), null),
    ...named,
    { kind: 'page', page: 'captions-style', label: say('captionsStyle'), value: '' },
  ];
}

function styles({ say, style }: Lists): MenuEntry[] {
  return (['size', 'color', 'background'] as const).map((choice) => ({
    kind: 'page',
    page: `captions-${choice}`,
    label: say(`captions.${choice}`),
    value: nameStyle(say, choice, style.chosen(choice)),
  }));
}

function styleChoices({ say, style }: Lists, choice: CaptionChoice): MenuEntry[] {
  return [null, ...CAPTION_CHOICES[choice]].map((value) => ({
    kind: 'choice',
    label: nameStyle(say, choice, value),
    isChosen: style.chosen(choice) === value,
    choose: () => style.choose(choice, value),
    staysOpen: true,
  }));
}

function nameStyle(say: Lists['say'], choice: CaptionChoice, value: string | null): string {
  if (value === null) return say('standard');
  return choice === 'size' ? `${value} %` : say(`captions.${choice}.${value.replace('#', '')}`);
}

function chapters({ session, video, seek }: Lists): MenuEntry[] {
  return session.state.details.chapters.map(({ title, startSec, endSec }) => ({
    kind: 'choice',
    label: title,
    detail: writeTime(startSec),
    isChosen: startSec <= video.currentTime && video.currentTime < endSec,
    choose: () => seek(startSec),
  }));
}

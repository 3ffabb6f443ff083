import type { ActiveView, CodecPlan } from '../../catalog/lifecycle/codec-store.ts';
import type { PlannedRendition } from '../../catalog/lifecycle/encode-plan.ts';
import type { RenditionPlan } from '../../catalog/rendition-plan.ts';
import { type AddedTrack, fileToEncode, fileTrackId, type TrackFields } from '../../catalog/renditions/added-track.ts';
import { newGuid } from '../../lib/guid.ts';
import { AUDIO_RATE_HZ, type AudioForm, listAudioOnDemand } from '../../media/cmaf/audio-grid.ts';
import { mayCopyAudio } from '../../media/encode/encode-audio.ts';
import { type LadderOptions, planLadder } from '../../media/encode/ladder.ts';
import { MAX_LOW_AUDIO_RUNG } from '../../media/hls/audio-groups.ts';
import { MAX_AUDIO_TRACKS } from '../../media/probe/explain-unoffered.ts';
import { nameTrack, uniqueName } from '../../media/probe/read-track-names.ts';
import type { AudioFacts, SourceFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { audioTasks } from './plan-tasks.ts';

/** Inputs for planning the audio of a set of renditions. `sourceKey` is the object of the video's file. */
export type AudioRequest = {
  facts: SourceFacts;
  ladder: LadderOptions;
  sourceKey: StorageKey | null;
  /** Target loudness of audio in LUFS; null leaves the loudness unchanged. */
  loudnessTargetLufs: number | null;
  /** False keeps only one audio track of the file. */
  hasAllAudioTracks: boolean;
  hasSurround: boolean;
  addedTracks: readonly AddedTrack[];
};

/** Maximum bitrate of source tracks that get no additional low-bitrate encode, in bits per second. */
const MAX_LOW_SOURCE_BPS = 96_000;

/** Minimum number of channels of a track that is also encoded in 5.1. */
const MIN_SURROUND_CHANNELS = 5;

/**
 * Plans one audio rendition per track, each with a unique name: the tracks of the file with the owner's changes, then
 * the added tracks. If the ladder has low rungs, each track also gets a rendition with a lower bitrate. Tracks with
 * many channels also get a 5.1 rendition on request. Audio with a target loudness is never encoded on demand, because
 * the whole track is measured before it is encoded. Added tracks are never encoded on demand either.
 */
export function planAudioTracks(request: AudioRequest, durationSec: number, isOnDemand: boolean): PlannedRendition[] {
  const { facts, sourceKey, addedTracks } = request;
  const kept = facts.audio.slice(0, request.hasAllAudioTracks ? MAX_AUDIO_TRACKS : 1);
  const own = kept.flatMap((track): PlannedTrack[] => {
    const entry = addedTracks.find(({ id }) => id === fileTrackId(track.streamIndex));
    const change = entry !== undefined && entry.ofSource === sourceKey ? entry : null;
    if ((entry !== undefined && fileToEncode(entry) !== null) || change?.isRemoved === true) return [];
    const plan = { ...commonPlan(request, durationSec), streamIndex: track.streamIndex };
    const copiesAudio = !isOnDemand && mayCopyAudio(track);
    const usual = audioRendition(change ?? fieldsOf(track), { ...plan, ...(copiesAudio && { copiesAudio }) });
    const forms = formsOf(request, track).map((form) => {
      const copies = !isOnDemand && mayCopyAudio(track, form);
      return formRendition(usual, { ...plan, form, ...(copies && { copiesAudio: true }) });
    });
    return [isOnDemand ? listOnDemand({ usual, forms }) : { usual, forms }];
  });
  const added = addedTracks.flatMap((track) => addedTrack(request, track, durationSec));
  return withNames([...own, ...added]);
}

/** Plans the renditions of an added track on the active timeline of its video. */
export function planAddedTrack(view: ActiveView, track: AddedTrack): CodecPlan {
  const durationSec = view.cutList.endTicks / view.cutList.timescale;
  const { ladder, loudnessTargetLufs } = readEncodeSettings(view.librarySettings, view.uploadOptions);
  const tracks = addedTrack({ facts: view.facts, ladder, loudnessTargetLufs }, track, durationSec);
  const renditions = tracks.flatMap(({ usual, forms }) => [usual, ...forms]);
  const timeline = { key: view.key, timelineId: view.timelineId, cutList: view.cutList, durationSec };
  return { renditions, tasks: audioTasks(timeline, renditions, false) };
}

/** The renditions of a track: the usual one (`usual`), and those with a lower bitrate or in 5.1 (`forms`). */
type PlannedTrack = { usual: PlannedRendition; forms: PlannedRendition[] };

type TrackRequest = Pick<AudioRequest, 'facts' | 'ladder' | 'loudnessTargetLufs'>;

function commonPlan({ loudnessTargetLufs }: TrackRequest, durationSec: number): RenditionPlan {
  return { durationSec, ...(loudnessTargetLufs !== null && { loudnessTargetLufs }) };
}

function fieldsOf(track: AudioFacts): TrackFields {
  const { language, role = 'main' } = track;
  return { language, role, name: nameTrack(track, 'Audio'), isDefault: false };
}

function addedTrack(request: TrackRequest, track: AddedTrack, durationSec: number): PlannedTrack[] {
  const file = fileToEncode(track);
  if (file === null) return [];
  const plan = { ...commonPlan(request, durationSec), added: { trackId: track.id, sourceKey: file.key } };
  const usual = audioRendition(track, plan);
  const isLow = hasLowForm(request, (file.sizeBytes * 8) / durationSec);
  return [{ usual, forms: isLow ? [formRendition(usual, { ...plan, form: 'low' })] : [] }];
}

function formsOf(request: AudioRequest, { bitrateBps, channels }: AudioFacts): AudioForm[] {
  const isWide = request.hasSurround && channels >= MIN_SURROUND_CHANNELS;
  return [...(hasLowForm(request, bitrateBps) ? ['low' as const] : []), ...(isWide ? ['surround' as const] : [])];
}

/**
 * Returns whether a track also gets a rendition with a lower bitrate. The highest rung must have audio of the usual
 * bitrate, because otherwise no viewer would get it.
 */
function hasLowForm({ facts, ladder }: TrackRequest, bitrateBps: number | null | undefined): boolean {
  const below = planLadder(facts, ladder).slice(1);
  return (bitrateBps ?? Infinity) > MAX_LOW_SOURCE_BPS && below.some(({ rung }) => rung <= MAX_LOW_AUDIO_RUNG);
}

function audioRendition({ language, name, role, isDefault }: TrackFields, plan: RenditionPlan): PlannedRendition {
  return {
    id: newGuid(),
    kind: 'audio',
    origin: 'encode',
    codec: 'aac',
    rung: null,
    language,
    name,
    isDefault,
    timescale: AUDIO_RATE_HZ,
    widthPx: null,
    heightPx: null,
    plan: { ...plan, ...(role !== 'main' && { role }) },
    listed: null,
    plannedSegments: null,
    isOnDemand: false,
  };
}

/**
 * Plans the lower-bitrate or 5.1 rendition of a track. It is never the default track: players choose the track in the
 * usual group.
 */
function formRendition(usual: PlannedRendition, plan: RenditionPlan): PlannedRendition {
  const { role } = usual.plan;
  return { ...usual, id: newGuid(), isDefault: false, plan: { ...plan, ...(role !== undefined && { role }) } };
}

function listOnDemand({ usual, forms }: PlannedTrack): PlannedTrack {
  const list = (one: PlannedRendition): PlannedRendition => {
    const { durationSec, form } = one.plan;
    return { ...one, plannedSegments: listAudioOnDemand(durationSec, form), isOnDemand: true };
  };
  return { usual: list(usual), forms: forms.map(list) };
}

/**
 * Gives each track a unique name, because players distinguish tracks by name. One track is the default: the owner's
 * choice, or else the first. The `forms` are at the end of the list, so that the usual renditions are encoded first.
 */
function withNames(tracks: readonly PlannedTrack[]): PlannedRendition[] {
  const names = new Set<string>();
  const chosen = tracks.find(({ usual }) => usual.isDefault) ?? tracks[0];
  const named = tracks.map((track) => {
    const name = uniqueName(track.usual.name, names);
    const usual = { ...track.usual, name, isDefault: track === chosen };
    return { usual, forms: track.forms.map((one) => ({ ...one, name })) };
  });
  return [...named.map(({ usual }) => usual), ...named.flatMap(({ forms }) => forms)];
}

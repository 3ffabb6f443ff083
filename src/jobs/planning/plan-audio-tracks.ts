import type { ActiveView, CodecPlan } from '../../catalog/lifecycle/codec-store.ts';
import type { PlannedRendition } from '../../catalog/lifecycle/encode-plan.ts';
import { type AddedTrack, fileToEncode, fileTrackId, type TrackFields } from '../../catalog/renditions/added-track.ts';
import type { RenditionPlan } from '../../catalog/schema.ts';
import { newGuid } from '../../lib/guid.ts';
import { AUDIO_RATE_HZ, listAudioOnDemand } from '../../media/cmaf/audio-grid.ts';
import { mayCopyAudio } from '../../media/encode/encode-audio.ts';
import { MAX_AUDIO_TRACKS } from '../../media/probe/explain-unoffered.ts';
import { nameTrack, uniqueName } from '../../media/probe/read-track-names.ts';
import type { AudioFacts, SourceFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { audioTasks } from './plan-tasks.ts';

/** Inputs of the audio of a set of renditions. `sourceKey` is the video's file. */
export type AudioRequest = {
  facts: Pick<SourceFacts, 'audio'>;
  sourceKey: StorageKey | null;
  normaliseLoudness: boolean;
  /** False keeps only one audio track of the file. */
  hasAllAudioTracks: boolean;
  addedTracks: readonly AddedTrack[];
};

/**
 * Plans one audio rendition per track, each with its own name: those of the file as its owner left them, then the added
 * ones. Normalised loudness depends on all earlier audio, so such audio is never on demand; nor is an added track.
 */
export function planAudioTracks(request: AudioRequest, durationSec: number, isOnDemand: boolean): PlannedRendition[] {
  const { facts, sourceKey, normaliseLoudness, addedTracks } = request;
  const kept = facts.audio.slice(0, request.hasAllAudioTracks ? MAX_AUDIO_TRACKS : 1);
  const own = kept.flatMap((track): PlannedRendition[] => {
    const entry = addedTracks.find(({ id }) => id === fileTrackId(track.streamIndex));
    const change = entry !== undefined && entry.ofSource === sourceKey ? entry : null;
    if ((entry !== undefined && fileToEncode(entry) !== null) || change?.isRemoved === true) return [];
    const fields = change ?? fieldsOf(track);
    const copiesAudio = !isOnDemand && !normaliseLoudness && mayCopyAudio(track);
    const plan = {
      durationSec,
      streamIndex: track.streamIndex,
      normaliseLoudness,
      ...(copiesAudio && { copiesAudio }),
    };
    return [{ ...audioRendition(fields, plan), ...(isOnDemand && onDemand(durationSec)) }];
  });
  const added = addedTracks.flatMap((track) => addedRendition(track, { durationSec, normaliseLoudness }));
  return withNames([...own, ...added]);
}

/** Plans the rendition of an added track on the active timeline of its video. */
export function planAddedTrack(view: ActiveView, track: AddedTrack): CodecPlan {
  const { normaliseLoudness } = readEncodeSettings(view.librarySettings, view.uploadOptions);
  const durationSec = view.cutList.endTicks / view.cutList.timescale;
  const renditions = addedRendition(track, { durationSec, normaliseLoudness });
  const place = { key: view.key, timelineId: view.timelineId, cutList: view.cutList, durationSec };
  return { renditions, tasks: audioTasks(place, renditions, false) };
}

function fieldsOf(track: AudioFacts): TrackFields {
  const { language, role = 'main' } = track;
  return { language, role, name: nameTrack(track, 'Audio'), isDefault: false };
}

function addedRendition(
  track: AddedTrack,
  plan: Pick<RenditionPlan, 'durationSec' | 'normaliseLoudness'>,
): PlannedRendition[] {
  const file = fileToEncode(track);
  if (file === null) return [];
  return [audioRendition(track, { ...plan, added: { trackId: track.id, sourceKey: file.key } })];
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

function onDemand(durationSec: number): Pick<PlannedRendition, 'plannedSegments' | 'isOnDemand'> {
  return { plannedSegments: listAudioOnDemand(durationSec), isOnDemand: true };
}

/** Players tell tracks apart by their names. One is the default: the owner's choice, else the first. */
function withNames(renditions: readonly PlannedRendition[]): PlannedRendition[] {
  const names = new Set<string>();
  const chosen = renditions.find(({ isDefault }) => isDefault) ?? renditions[0];
  return renditions.map((one) => ({ ...one, name: uniqueName(one.name, names), isDefault: one === chosen }));
}

import type { LibrarySettings, LibrarySettingsPatch } from '../../catalog/libraries/library-settings.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { LibrarySoundModel, LibrarySoundUpdateModel } from '../models/library-sound.ts';
import { CoreLibraryParams } from './core-library.ts';

/** Range of the target loudness in LUFS. Below it, speech is hard to hear; above it, audio distorts. */
const TARGET_LUFS = { min: -31, max: -10 } as const;

type Deps = { libraries: LibraryStore; libraryViews: LibraryViewStore };

const common = {
  path: '/videolibrary/{id}/sound',
  auth: 'account-key',
  permission: 'library.manage',
  params: CoreLibraryParams,
  answer: LibrarySoundModel,
  errorShape: 'core',
} as const;

/** Not part of the hosted API. */
export const getLibrarySound = defineOperation({
  ...common,
  name: 'getLibrarySound',
  method: 'GET',
  description: 'Returns the sound settings of a library: the loudness of its videos, and whether they get 5.1.',
  refusals: { 'not-found': 404 },
  async run({ params: { id } }, { libraryViews }: Deps) {
    return toSoundModel((await libraryViews.load(id)).settings);
  },
});

/** Not part of the hosted API. */
export const updateLibrarySound = defineOperation({
  ...common,
  name: 'updateLibrarySound',
  method: 'POST',
  description:
    'Changes the sound settings of a library, for videos that are uploaded from now on. Absent fields ' +
    'are left unchanged.',
  body: LibrarySoundUpdateModel,
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ params: { id }, body }, { libraries, libraryViews }: Deps) {
    const settings = toSoundPatch(body);
    await libraries.change(id, () => ({ settings }));
    return toSoundModel((await libraryViews.load(id)).settings);
  },
});

export function toSoundModel({ encoding }: LibrarySettings): LibrarySoundModel {
  return {
    NormaliseLoudness: encoding.normaliseLoudness,
    LoudnessTarget: encoding.loudnessTargetLufs,
    SurroundAudio: encoding.surroundAudio,
  };
}

/** Throws `Refused` (`invalid`) for a loudness out of range. */
export function toSoundPatch({
  NormaliseLoudness,
  LoudnessTarget,
  SurroundAudio,
}: LibrarySoundUpdateModel): LibrarySettingsPatch {
  const { min, max } = TARGET_LUFS;
  if (LoudnessTarget != null && (LoudnessTarget < min || LoudnessTarget > max)) {
    throw new Refused(
      'invalid',
      `Expected LoudnessTarget from ${min} to ${max} LUFS, got ${LoudnessTarget}. Send -16 for streaming, or -23 as ` +
        'in broadcasts.',
      { field: 'LoudnessTarget' },
    );
  }
  return {
    encoding: {
      normaliseLoudness: NormaliseLoudness ?? undefined,
      loudnessTargetLufs: LoudnessTarget ?? undefined,
      surroundAudio: SurroundAudio ?? undefined,
    },
  };
}

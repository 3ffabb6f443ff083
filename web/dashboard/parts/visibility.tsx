import type { VideoModel } from '../../../src/api/models/video.ts';
import { t, trAll } from '../base/language.ts';
import { SelectField } from './fields.tsx';
import { Icon } from './icon.tsx';

type Visibility = VideoModel['visibility'];

export const VISIBILITY_CHOICES = [
  ['public', 'Public'],
  ['unlisted', 'Unlisted'],
  ['private', 'Private'],
] as const satisfies readonly (readonly [Visibility, string])[];

/** Explains a visibility in one line. */
function explain(visibility: Visibility): string {
  if (visibility === 'public') return t('Plays wherever the library allows it.');
  if (visibility === 'unlisted')
    return t('Plays for everybody with the link, but no feed or shared collection lists it.');
  return t('Plays only with a signed URL or a share link of this video.');
}

type FieldProps = { value: Visibility; onChange: (visibility: Visibility) => void };

export function VisibilityField({ value, onChange }: FieldProps) {
  return (
    <SelectField
      label={t('Visibility')}
      hint={explain(value)}
      value={value}
      choices={trAll(VISIBILITY_CHOICES)}
      onChange={(chosen) => onChange(readVisibility(chosen) ?? value)}
    />
  );
}

/** Returns a visibility by its name in the API, or null for any other text. */
export function readVisibility(text: string): Visibility | null {
  return VISIBILITY_CHOICES.find(([name]) => name === text)?.[0] ?? null;
}

/** A mark of a video that is not public. */
export function VisibilityBadge({ visibility }: { visibility: Visibility }) {
  if (visibility === 'public') return null;
  const isPrivate = visibility === 'private';
  return (
    <span class="chip visibility" title={explain(visibility)}>
      <Icon name={isPrivate ? 'lock' : 'unlisted'} /> {isPrivate ? t('Private') : t('Unlisted')}
    </span>
  );
}

/** Explains next to the plain link of a private video why it does not play. Empty for other videos. */
export function PrivateHint({ visibility }: { visibility: Visibility }) {
  return visibility === 'private' ? <p class="hint">{explain(visibility)}</p> : null;
}

/** The mark of a row, whose column of visibilities may be hidden. */
export function VisibilityMark({ visibility }: { visibility: 'unlisted' | 'private' }) {
  const name = visibility === 'private' ? t('Private') : t('Unlisted');
  return (
    <span class="visibility-mark" role="img" aria-label={name} title={name}>
      <Icon name={visibility === 'private' ? 'lock' : 'unlisted'} />
    </span>
  );
}

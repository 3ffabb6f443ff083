import type { PublishedRendition } from './published-rendition.ts';

/** Contents of the multivariant playlist, and whether playback could start now. */
export type ListedSet<Rendition extends PublishedRendition> = {
  video: readonly Rendition[];
  audio: readonly Rendition[];
  isPlayable: boolean;
};

/**
 * Chooses the active renditions that can be listed: their first chunk is stored, or their whole timeline is planned.
 * The set is playable if one video rendition (or, without video, one audio rendition) has its first segment or can
 * encode it on demand, and if the same applies to the audio. Failed renditions are ignored.
 */
export function chooseListedSet<Rendition extends PublishedRendition>(
  renditions: readonly Rendition[],
): ListedSet<Rendition> {
  const wanted = renditions.filter((rendition) => rendition.isActive && rendition.state !== 'failed');
  const ofKind = (kind: 'video' | 'audio') => wanted.filter((rendition) => rendition.kind === kind);
  const hasStart = (kind: 'video' | 'audio') => ofKind(kind).some(canStart);
  const needed = (['video', 'audio'] as const).filter((kind) => ofKind(kind).length > 0);
  return {
    video: ofKind('video').filter(isListed),
    audio: ofKind('audio').filter(isListed),
    isPlayable: needed.length > 0 && needed.every(hasStart),
  };
}

function isListed(rendition: PublishedRendition): boolean {
  return rendition.codecString !== null && (startsStored(rendition) || rendition.planned !== null);
}

function canStart(rendition: PublishedRendition): boolean {
  return startsStored(rendition) || (rendition.isOnDemand && isListed(rendition));
}

function startsStored({ codecString, chunks }: PublishedRendition): boolean {
  return codecString !== null && chunks[0]?.firstSegment === 0;
}

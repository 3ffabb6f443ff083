import { asRaw, type Raw, readNumber } from './raw-fields.ts';

/** Whether ffprobe's output has a video stream that is not the cover of audio. */
export function hasPicture(answer: unknown): boolean {
  return streamsOf(answer).some(isPicture);
}

/** Whether ffprobe's output has an audio stream. */
export function hasSound(answer: unknown): boolean {
  return streamsOf(answer).some((stream) => stream.codec_type === 'audio');
}

/** Returns ffprobe's output without the video streams whose index satisfies `isLeftOut`. */
export function withoutPictures(answer: unknown, isLeftOut: (streamIndex: number) => boolean): unknown {
  const kept = streamsOf(answer).filter((stream) => !isPicture(stream) || !isLeftOut(readNumber(stream.index) ?? 0));
  return { ...asRaw(answer), streams: kept };
}

/** Returns the streams in ffprobe's output. */
export function streamsOf(answer: unknown): Raw[] {
  const { streams } = asRaw(answer);
  return (Array.isArray(streams) ? streams : []).map(asRaw);
}

/** Whether a stream is video, and not the cover of audio. */
export function isPicture(stream: Raw): boolean {
  return stream.codec_type === 'video' && asRaw(stream.disposition).attached_pic !== 1;
}

/** Removes unknown durations (all ones in ISO 14496-12), which ffprobe reads as values in 32-bit fields. */
export function withoutUnknownDurations(json: unknown): unknown {
  return /"duration_ts": ?4294967295\b/.test(JSON.stringify(json)) ? withoutDurations(json) : json;
}

/** Removes the container's own durations, so that those of the scan are used. */
export function withoutDurations(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json, (key, value) => (/^duration(_ts)?$/i.test(key) ? undefined : value)));
}

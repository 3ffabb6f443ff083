import type { AccessUnit } from '../../media/live/tracks/access-unit.ts';

/** Time without audio, while video continues, after which the status of a stream says so, in ms of media. */
const SILENT_MS = 10_000;

/** Notices that the audio of a publisher stopped while its video continues. */
export class SoundWatch {
  /** Time of the first video frame after the newest audio frame. Undefined before the first audio. */
  #sinceMs: number | null | undefined;
  hasStopped = false;

  note({ kind, dtsMs }: Pick<AccessUnit, 'kind' | 'dtsMs'>): void {
    if (kind === 'audio') [this.#sinceMs, this.hasStopped] = [null, false];
    else if (this.#sinceMs === null) this.#sinceMs = dtsMs;
    else if (this.#sinceMs !== undefined && dtsMs - this.#sinceMs >= SILENT_MS) this.hasStopped = true;
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { onCommit } from './in-transaction.ts';
import type { Library } from './libraries/library.ts';
import type { LiveStream } from './live/live-stream.ts';
import type { Person } from './people/person.ts';
import type { Video } from './videos/video.ts';

/** Objects whose fields the audit log shows. `fields` are named as in the API. */
type AuditedObjects = {
  library: Library;
  video: Video;
  stream: LiveStream;
  person: Person;
  fields: Readonly<Record<string, unknown>>;
};

/**
 * An object before and after a committed change, or the name of a replaced secret. `before` is null for a new object,
 * `after` for a deleted one.
 */
export type NotedChange =
  | {
      [Kind in keyof AuditedObjects]: {
        kind: Kind;
        before: AuditedObjects[Kind] | null;
        after: AuditedObjects[Kind] | null;
      };
    }[keyof AuditedObjects]
  | { kind: 'secret'; field: string };

/** Maximum number of changes of one request that are noted. One more than are shown, so that a cut can be marked. */
const MAX_NOTED = 51;

const collected = new AsyncLocalStorage<NotedChange[]>();

/** Runs the action of a request and adds the changes that it commits to `noted`. */
export function collectChanges<T>(noted: NotedChange[], action: () => T): T {
  return collected.run(noted, action);
}

/**
 * Records a change for the audit log once the caller's transaction commits. The values must have been read under a lock
 * of the same transaction. Does nothing if no request caused the change.
 */
export function noteChange(change: NotedChange): void {
  const noted = collected.getStore();
  if (noted === undefined) return;
  onCommit(() => {
    if (noted.length < MAX_NOTED) noted.push(change);
  });
}

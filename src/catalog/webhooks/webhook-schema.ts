import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

type SetByDefault = ColumnType<Date, Date | undefined, Date>;

/** A webhook event; `status` is the wire's WebhookStatus, `last_answer` describes the receiver's last response. */
export type WebhookEventTable = {
  id: Guid;
  library_id: number;
  media_id: Guid;
  status: number;
  request_id: Generated<string | null>;
  /** True if a finished video lacks something that was planned. */
  is_incomplete: Generated<boolean>;
  state: 'pending' | 'delivered' | 'dead';
  attempts: Generated<number>;
  last_answer: string | null;
  created_at: SetByDefault;
  give_up_at: Date;
  settled_at: Date | null;
  /** The order of events, which follows the commits of a video's changes. */
  position: Generated<number>;
};

/** The line of a video's pending events: leased while `claim` is set and the next attempt is in the future. */
export type WebhookLineTable = {
  library_id: number;
  media_id: Guid;
  next_attempt_at: SetByDefault;
  claim: Guid | null;
};

import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { QuotaDetail } from './webhook.ts';

type SetByDefault = ColumnType<Date, Date | undefined, Date>;

/** A receiver of a library's events, in addition to its `WebhookUrl`. `events` is null for all. */
export type WebhookEndpointTable = {
  id: Guid;
  library_id: number;
  name: string;
  url: string;
  events: number[] | null;
  is_enabled: boolean;
  secret_sealed: Buffer;
  created_at: SetByDefault;
};

/** A webhook event. `status` is a WebhookStatus of the API. `last_answer` describes the receiver's last response. */
export type WebhookEventTable = {
  id: Guid;
  library_id: number;
  /** Id of the video. For endpoints in `webhook_endpoint`, this is the id of the event, and `video_id` is the video. */
  media_id: Guid;
  /** The nil GUID for the `WebhookUrl` of the library. */
  endpoint_id: Generated<Guid>;
  /** Id of the line (`webhook_line`), if it differs from `media_id`. */
  line_id: Generated<Guid | null>;
  video_id: Generated<Guid | null>;
  status: number;
  request_id: Generated<string | null>;
  /** True if a finished video lacks something that was planned. */
  is_incomplete: Generated<boolean>;
  /** The quota of an event about one. */
  detail: ColumnType<QuotaDetail | null, string | null | undefined, never>;
  state: 'pending' | 'delivered' | 'dead';
  attempts: Generated<number>;
  last_answer: string | null;
  created_at: SetByDefault;
  give_up_at: Date;
  settled_at: Date | null;
  /** The order of events, which follows the commits of a video's changes. */
  position: Generated<number>;
};

/**
 * The line of a video's pending events for one endpoint. `media_id` is the video, or a GUID derived from both for
 * endpoints of `webhook_endpoint`. Leased while `claim` is set and the next attempt is in the
 * future.
 */
export type WebhookLineTable = {
  library_id: number;
  media_id: Guid;
  endpoint_id: Generated<Guid>;
  next_attempt_at: SetByDefault;
  claim: Guid | null;
};

import type { PersonSession } from '../catalog/people/person-session-store.ts';
import { wireTime } from './models/answers.ts';

/** Converts a session of a person to its model. */
export function toSessionModel({ id, device, address, createdAt, lastUsedAt, expiresAt }: PersonSession) {
  return {
    Id: id,
    Device: device,
    Address: address,
    DateCreated: wireTime(createdAt),
    DateLastUsed: wireTime(lastUsedAt),
    DateExpires: wireTime(expiresAt),
  };
}

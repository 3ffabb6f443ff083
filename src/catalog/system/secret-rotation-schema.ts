import type { ColumnType, Generated } from 'kysely';
import type { RotationStage } from './secret-rotation.ts';

/** The rotation of the secret key that is not finished: at most one row. */
export type SecretRotationTable = {
  singleton: Generated<boolean>;
  old_id: string;
  new_id: string;
  new_key_wrapped: Buffer;
  old_key_wrapped: Buffer;
  stage: RotationStage;
  started_at: ColumnType<Date, never, never>;
};

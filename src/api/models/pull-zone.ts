import { type Static, Type } from 'typebox';
import { model, nullable, text } from './fields.ts';

export const ResetPullZoneSecurityKeyModel = model('ResetPullZoneSecurityKeyModel', {
  SecurityKey: Type.Optional(nullable(text({ minLength: 8 }))),
});
export type ResetPullZoneSecurityKeyModel = Static<typeof ResetPullZoneSecurityKeyModel>;

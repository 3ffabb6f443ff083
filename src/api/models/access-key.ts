import { type Static, Type } from 'typebox';
import { dateTime, guarded, int32, line, model, nullable, text, words } from './fields.ts';

export const AccessKeyScope = words('AccessKeyScope', ['read', 'write']);

/** An additional key of a library (not part of the hosted API). */
export const AccessKeyModel = model('AccessKeyModel', {
  Id: text(),
  Label: text(),
  Scope: AccessKeyScope,
  DateCreated: dateTime(),
  DateExpires: nullable(dateTime()),
  DateLastUsed: nullable(dateTime()),
});
export type AccessKeyModel = Static<typeof AccessKeyModel>;

export const AccessKeyList = Type.Array(AccessKeyModel, { title: 'AccessKeyList' });
export type AccessKeyList = Static<typeof AccessKeyList>;

/** A new key with its text, which is shown only this once. */
export const NewAccessKeyModel = model('NewAccessKeyModel', { ...AccessKeyModel.properties, Key: text() });
export type NewAccessKeyModel = Static<typeof NewAccessKeyModel>;

/** Without `ExpiresInSec`, a key is valid until it is revoked. */
export const CreateAccessKeyModel = model('CreateAccessKeyModel', {
  Label: Type.Optional(nullable(line({ maxLength: 200 }))),
  Scope: AccessKeyScope,
  ExpiresInSec: guarded(
    'protects',
    Type.Optional(nullable(int32({ minimum: 1, description: 'a number of seconds from now' }))),
    ['DateExpires'],
  ),
});
export type CreateAccessKeyModel = Static<typeof CreateAccessKeyModel>;

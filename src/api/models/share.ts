import { type Static, Type } from 'typebox';
import { dateTime, flag, guarded, model, nullable, text, words } from './fields.ts';

export const ShareAccess = words('ShareAccess', ['link', 'password', 'email']);

/** A share page of a video or collection. Not part of the hosted API, like all models of shares. */
export const ShareModel = model('ShareModel', {
  guid: text(),
  url: text(),
  access: ShareAccess,
  emailDomains: Type.Array(text()),
  allowDownload: flag(),
  allowComments: flag(),
  dateExpires: nullable(dateTime()),
  createdBy: text(),
  dateCreated: dateTime(),
});
export type ShareModel = Static<typeof ShareModel>;

export const ShareList = model('ShareList', { items: Type.Array(ShareModel) });
export type ShareList = Static<typeof ShareList>;

const FIELDS = {
  password: guarded('protects', Type.Optional(nullable(text({ maxLength: 1_000 })))),
  emailDomains: guarded('protects', Type.Optional(nullable(Type.Array(text({ maxLength: 300 }), { maxItems: 20 }))), [
    'domains',
  ]),
  allowDownload: guarded('protects', Type.Optional(nullable(flag()))),
  allowComments: guarded('protects', Type.Optional(nullable(flag()))),
  dateExpires: guarded('protects', Type.Optional(nullable(dateTime()))),
};

export const CreateShareModel = model('CreateShareModel', FIELDS);
export type CreateShareModel = Static<typeof CreateShareModel>;

/** Fields of a share to change. Absent fields are left unchanged. */
export const UpdateShareModel = model('UpdateShareModel', FIELDS);
export type UpdateShareModel = Static<typeof UpdateShareModel>;

import { type Static, Type } from 'typebox';
import { MAX_VIEWER_TOKEN_CHARS, VERDICT_SEC } from '../../catalog/libraries/viewer-access.ts';
import { flag, guarded, int32, model, nullable, text, words } from './fields.ts';

export const ViewerAccessMode = words('ViewerAccessMode', ['off', 'hook', 'jwt']);
export const ViewerVerdict = words('ViewerVerdict', ['allowed', 'denied', 'unchecked']);

/** Settings that decide which viewers may watch the videos of a library. Not part of the hosted API. */
export const ViewerAccessModel = model('ViewerAccessModel', {
  mode: ViewerAccessMode,
  url: nullable(text()),
  secret: nullable(text()),
  failOpen: flag(),
  cacheSec: int32(),
  issuer: nullable(text()),
  audience: nullable(text()),
  jwksUrl: nullable(text()),
  videoClaim: nullable(text()),
  collectionClaim: nullable(text()),
});
export type ViewerAccessModel = Static<typeof ViewerAccessModel>;

const MAX_URL_CHARS = 2_000;
const MAX_NAME_CHARS = 500;
const protect = (maxLength: number) => guarded('protects', Type.Optional(nullable(text({ maxLength }))));

/** A change. Absent fields are left unchanged, and null removes a claim. */
export const UpdateViewerAccessModel = model('UpdateViewerAccessModel', {
  mode: guarded('protects', Type.Optional(ViewerAccessMode)),
  url: protect(MAX_URL_CHARS),
  renewSecret: guarded('protects', Type.Optional(flag())),
  failOpen: guarded('protects', Type.Optional(flag())),
  cacheSec: guarded('protects', Type.Optional(int32({ minimum: VERDICT_SEC.min, maximum: VERDICT_SEC.max }))),
  issuer: protect(MAX_NAME_CHARS),
  audience: protect(MAX_NAME_CHARS),
  jwksUrl: protect(MAX_URL_CHARS),
  videoClaim: protect(MAX_NAME_CHARS),
  collectionClaim: protect(MAX_NAME_CHARS),
});
export type UpdateViewerAccessModel = Static<typeof UpdateViewerAccessModel>;

export const TestViewerAccessModel = model('TestViewerAccessModel', {
  videoId: text({ maxLength: 36 }),
  viewer: Type.Optional(text({ maxLength: MAX_VIEWER_TOKEN_CHARS })),
  ip: Type.Optional(text({ maxLength: 45 })),
  userAgent: Type.Optional(text({ maxLength: 512 })),
  referrer: Type.Optional(nullable(text({ maxLength: MAX_URL_CHARS }))),
});
export type TestViewerAccessModel = Static<typeof TestViewerAccessModel>;

export const ViewerVerdictModel = model('ViewerVerdictModel', {
  verdict: ViewerVerdict,
  reason: text(),
  validSec: nullable(int32()),
  durationMs: int32(),
});
export type ViewerVerdictModel = Static<typeof ViewerVerdictModel>;

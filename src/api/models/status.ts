import { type Static, Type } from 'typebox';
import { flag, int32, model, nullable, text } from './fields.ts';

export const StatusModel = model('StatusModel', {
  success: flag(),
  /** OK on success. */
  message: text(),
  statusCode: int32(),
  /** Payload of specialised status bodies; omitted when absent. */
  data: Type.Optional(nullable(Type.Unknown())),
  /** GUID of the new video; only in videos/fetch. */
  id: Type.Optional(nullable(text())),
});
export type StatusModel = Static<typeof StatusModel>;

export const StatusModelOfListOfString = model('StatusModelOfListOfString', {
  ...StatusModel.properties,
  data: nullable(Type.Array(text())),
});
export type StatusModelOfListOfString = Static<typeof StatusModelOfListOfString>;

export const CaptionValidationModel = model('CaptionValidationModel', {
  valid: flag(),
  errorList: nullable(Type.Array(text())),
  warningList: nullable(Type.Array(text())),
  /** Empty when there is no warning. */
  warningMessage: text(),
});
export type CaptionValidationModel = Static<typeof CaptionValidationModel>;

export const StatusModelOfCaptionValidationModel = model('StatusModelOfCaptionValidationModel', {
  ...StatusModel.properties,
  data: nullable(CaptionValidationModel),
});
export type StatusModelOfCaptionValidationModel = Static<typeof StatusModelOfCaptionValidationModel>;

export const AuthError401 = model('AuthError401', {
  Success: flag(),
  Message: text(),
  StatusCode: int32(),
});
export type AuthError401 = Static<typeof AuthError401>;

export const ApiErrorData = model('ApiErrorData', {
  ErrorKey: nullable(text()),
  Field: nullable(text()),
  Message: nullable(text()),
});
export type ApiErrorData = Static<typeof ApiErrorData>;

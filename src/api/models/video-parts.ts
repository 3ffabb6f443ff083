import { type Static, Type } from 'typebox';
import { IssueCodes, Severity, SmartGenerateStatus } from './enums.ts';
import { dateTime, int32, line, model, nullable, text } from './fields.ts';

export const CaptionModel = model('CaptionModel', {
  srclang: nullable(text()),
  label: nullable(text()),
  /** Incremented with each upload; used as the cache buster `?ver=`. */
  version: int32(),
});
export type CaptionModel = Static<typeof CaptionModel>;

export const ChapterModel = model('ChapterModel', {
  title: line({ minLength: 1 }),
  start: Type.Optional(int32()),
  end: Type.Optional(int32()),
});
export type ChapterModel = Static<typeof ChapterModel>;

export const MomentModel = model('MomentModel', {
  label: line({ minLength: 1 }),
  timestamp: Type.Optional(int32()),
});
export type MomentModel = Static<typeof MomentModel>;

export const MetaTagModel = model('MetaTagModel', {
  property: Type.Optional(nullable(text())),
  value: Type.Optional(nullable(text())),
});
export type MetaTagModel = Static<typeof MetaTagModel>;

export const TranscodingMessageModel = model('TranscodingMessageModel', {
  timeStamp: dateTime(),
  level: Severity,
  issueCode: IssueCodes,
  message: nullable(text()),
  value: nullable(text()),
});
export type TranscodingMessageModel = Static<typeof TranscodingMessageModel>;

export const SmartGenerateFeaturesStatusModel = model('SmartGenerateFeaturesStatusModel', {
  title: nullable(SmartGenerateStatus),
  description: nullable(SmartGenerateStatus),
  chapters: nullable(SmartGenerateStatus),
  moments: nullable(SmartGenerateStatus),
});
export type SmartGenerateFeaturesStatusModel = Static<typeof SmartGenerateFeaturesStatusModel>;

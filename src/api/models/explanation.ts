import { type Static, Type } from 'typebox';
import { model, nullable, text } from './fields.ts';

/** A request to judge: `Url` with its token; `At` defaults to now. */
export const ExplainRequestModel = model('ExplainRequestModel', {
  Url: text({ minLength: 1, maxLength: 8_000 }),
  Method: Type.Optional(nullable(text({ maxLength: 20 }))),
  RemoteIp: Type.Optional(nullable(text({ maxLength: 100 }))),
  /** ISO 3166-1 alpha-2. Replaces the country of the address. */
  Country: Type.Optional(nullable(text({ maxLength: 2 }))),
  Headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  At: Type.Optional(nullable(text({ maxLength: 100 }))),
});
export type ExplainRequestModel = Static<typeof ExplainRequestModel>;

const ExplainedStage = model('ExplainedStage', {
  Stage: text(),
  Verdict: text(),
  RuleId: nullable(text()),
  Expected: nullable(text()),
  Came: nullable(text()),
});

/** Findings of each rule, in order; the first that blocks decides. The key is masked in `SignedString`. */
export const ExplanationModel = model('ExplanationModel', {
  Verdict: text(),
  RuleId: nullable(text()),
  Stages: Type.Array(ExplainedStage),
  SignedString: nullable(text()),
  NearMiss: nullable(text()),
});

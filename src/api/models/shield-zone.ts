import { type Static, Type } from 'typebox';
import { flag, guarded, int32, int64, model, nullable, numbers, text } from './fields.ts';

export const WafExecutionMode = numbers('WafExecutionMode', { Log: 0, Block: 1 });

/** Settings for the inspection of a pull zone's requests. Shield zone 0 covers requests without a pull zone. */
export const ShieldZoneModel = model('ShieldZoneModel', {
  shieldZoneId: int64(),
  pullZoneId: int64(),
  wafEnabled: flag(),
  wafExecutionMode: WafExecutionMode,
  wafDisabledRules: Type.Array(text()),
  wafLogOnlyRules: Type.Array(text()),
  wafRequestIgnoredHeaders: Type.Array(text()),
});
export type ShieldZoneModel = Static<typeof ShieldZoneModel>;

export const ShieldZoneAnswer = model('ShieldZoneAnswer', { data: ShieldZoneModel });

export const ShieldZoneList = model('ShieldZoneList', {
  data: Type.Array(ShieldZoneModel),
  page: model('ShieldPage', {
    totalCount: int32(),
    totalPages: int32(),
    currentPage: int32(),
    nextPage: nullable(int32()),
    pageSize: int32(),
  }),
});

const rules = () =>
  guarded('protects', Type.Optional(nullable(Type.Array(text({ maxLength: 20 }), { maxItems: 1_000 }))));

/** Absent and null fields are left unchanged. */
export const ShieldZoneChange = model('ShieldZoneChange', {
  wafEnabled: guarded('protects', Type.Optional(nullable(flag()))),
  wafExecutionMode: guarded('protects', Type.Optional(nullable(WafExecutionMode))),
  wafDisabledRules: rules(),
  wafLogOnlyRules: rules(),
  wafRequestIgnoredHeaders: guarded(
    'protects',
    Type.Optional(nullable(Type.Array(text({ maxLength: 100 }), { maxItems: 100 }))),
  ),
});
export type ShieldZoneChange = Static<typeof ShieldZoneChange>;

export const UpdateShieldZoneModel = model('UpdateShieldZoneModel', {
  shieldZoneId: int64(),
  shieldZone: guarded('protects', Type.Optional(nullable(ShieldZoneChange))),
});

import { defineOperation } from '../define-operation.ts';
import { BillingModel as Billing, type BillingModel } from '../models/account.ts';
import { NoParams } from '../read-params.ts';

export const getBilling = defineOperation({
  name: 'getBilling',
  method: 'GET',
  path: '/billing',
  description: 'Returns the billing data of the account. A self-hosted service charges nothing, so all amounts are 0.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  answer: Billing,
  errorShape: 'core',
  run: async () => NOTHING,
});

/** The operator pays for the machines; the service charges nothing. */
const NOTHING: BillingModel = {
  Balance: 0,
  AvailableBalance: 0,
  ThisMonthCharges: 0,
  BillingEnabled: false,
  BillingRecords: [],
  MonthlyChargesStorage: 0,
  MonthlyChargesEUTraffic: 0,
  MonthlyChargesUSTraffic: 0,
  MonthlyChargesASIATraffic: 0,
  MonthlyChargesAFTraffic: 0,
  MonthlyChargesSATraffic: 0,
  MonthlyChargesTranscribe: 0,
  MonthlyChargesPremiumEncoding: 0,
  MonthlyChargesDrm: 0,
  MonthlyChargesTaxes: 0,
  VATRate: 0,
};

import type { Db } from '../../catalog/db.ts';
import { loadAccount } from '../../catalog/keys/key-store.ts';
import { defineOperation } from '../define-operation.ts';
import { UserModel } from '../models/account.ts';
import { wireTime } from '../models/answers.ts';
import { NoParams } from '../read-params.ts';

export const getUser = defineOperation({
  name: 'getUser',
  method: 'GET',
  path: '/user',
  description: 'Returns the account. It has an id and no personal data.',
  auth: 'account-key',
  permission: 'libraries.list',
  params: NoParams,
  answer: UserModel,
  errorShape: 'core',
  async run(_request, { db }: { db: Db }) {
    const { id, createdAt } = await loadAccount(db);
    return { ...NOBODY, Id: id, AccountId: id, DateJoined: wireTime(createdAt) };
  },
});

/** An installation's account is identified by its keys. It stores no personal or payment data. */
const NOBODY = {
  Email: null,
  BillingEmail: null,
  FirstName: null,
  LastName: null,
  StreetAddress: null,
  City: null,
  ZipCode: null,
  Country: null,
  CompanyName: null,
  VATNumber: null,
  Balance: 0,
  Suspended: false,
  EmailVerified: false,
  TwoFactorAuthenticationEnabled: false,
  IsSsoAccount: false,
  PaymentsDisabled: true,
  HasCompleteBillingProfile: false,
  ReceiveNotificationEmails: false,
  ReceivePromotionalEmails: false,
  UnreadSupportTicketCount: 0,
  Roles: ['Admin'],
  FeatureFlags: [],
  EnabledPaymentTypes: [],
};

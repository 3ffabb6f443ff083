import { Type } from 'typebox';
import type { PersonStore } from '../../catalog/people/person-store.ts';
import { defineOperation } from '../define-operation.ts';
import { PaginationListModelOfPersonModel } from '../models/person.ts';
import { toPage } from '../page-or-list.ts';
import { NoParams } from '../read-params.ts';
import { queryInt32 } from '../read-query.ts';
import { toPersonModel } from './person-model.ts';

/** Not part of the hosted API. */
export const listPeople = defineOperation({
  name: 'listPeople',
  method: 'GET',
  path: '/people',
  description: 'Lists the people who can sign in to the dashboard, by e-mail address, with their roles.',
  auth: 'account-key',
  permission: 'people.manage',
  params: NoParams,
  query: Type.Object({ page: queryInt32(1, 1), perPage: queryInt32(100, 1, 1000) }),
  answer: PaginationListModelOfPersonModel,
  errorShape: 'core',
  async run({ query: { page, perPage } }, { people }: { people: PersonStore }) {
    const { total, people: found } = await people.list({ page, perPage });
    return toPage(found.map(toPersonModel), { page, offset: (page - 1) * perPage, total });
  },
});

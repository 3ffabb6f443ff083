import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import { DEFAULT_CHOICES, type NotificationChoices } from './notification.ts';

/** Returns the events about which a person wants to be notified, by channel. */
export async function loadChoices(db: Db, personId: Guid): Promise<NotificationChoices> {
  const query = db.selectFrom('notification_choice').select(['browser', 'email']).where('person_id', '=', personId);
  return (await query.executeTakeFirst()) ?? DEFAULT_CHOICES;
}

export async function saveChoices(db: Db, personId: Guid, { browser, email }: NotificationChoices): Promise<void> {
  await inTransaction(db, async (tx) => {
    // The lock keeps the noted values correct until the commit.
    await tx.selectFrom('person').select('id').where('id', '=', personId).forNoKeyUpdate().execute();
    const before = await loadChoices(tx, personId);
    await tx
      .insertInto('notification_choice')
      .values({ person_id: personId, browser, email })
      .onConflict((conflict) => conflict.column('person_id').doUpdateSet({ browser, email }))
      .execute();
    const noted = (choices: NotificationChoices) => ({
      NotifiedInDashboard: choices.browser,
      NotifiedByEmail: choices.email,
    });
    noteChange({ kind: 'fields', before: noted(before), after: noted({ browser, email }) });
  });
}

import { openSmtpMailer } from '../../src/adapters/mailer/open-smtp-mailer.ts';
import { type CommentStore, createCommentStore } from '../../src/catalog/comments/comment-store.ts';
import {
  createShareStore,
  type ShareFields,
  type ShareKey,
  type ShareStore,
} from '../../src/catalog/shares/share-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';
import { newClient } from './share-code-requests.ts';

export const TITLE = 'Harbour at dawn';
export const PATIENCE = { timeout: 60_000 };
export const EDITOR = { kind: 'person', id: 'ed', name: 'Ed Editor' } as const;
/** A comment as a share page sends it. */
export const MINE = { text: 'The logo is late', name: 'Ada', time: 2.5 };

type Shown = { libraryId: number; mediaId: PublishedFilm['mediaId'] };

/** An edge with films that can be shared, and a mail server for codes. */
export type CommentRoom = PlayerFixture & {
  mail: MailServer;
  shares: ShareStore;
  /** Comments as the team sees them. */
  team: CommentStore;
  /** Publishes a film that needs the token of a share page. */
  makeFilm(player?: Record<string, unknown>): Promise<PublishedFilm>;
  /** Creates a share page, which allows comments unless `fields` says otherwise. */
  share(shown: Shown, fields?: Partial<ShareFields>): Promise<{ key: ShareKey; url: string }>;
};

export async function openCommentRoom(): Promise<CommentRoom> {
  const mail = await startMailServer();
  const fixture = await openPlayerFixture(240, [90]);
  const mailer = openSmtpMailer({ url: mail.url, user: null, password: null, from: 'videos@millrace.test' });
  const edge = await fixture.edges.start({ mailer, trustedProxies: ['127.0.0.1'] });
  const { db } = fixture.database;
  const shares = createShareStore({ db, secretBox: createSecretBox(TEST_SECRET) });
  return {
    ...fixture,
    mail,
    shares,
    team: createCommentStore(db),
    async makeFilm(player = {}) {
      const made = await fixture.publish({ access: { playerTokenRequired: true }, player });
      await db.updateTable('media').set({ title: TITLE }).where('id', '=', made.mediaId).execute();
      return made;
    },
    async share({ libraryId, mediaId }, fields = {}) {
      const basic = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test' };
      const { id, token } = await shares.create({ libraryId, mediaId }, { allowsComments: true, ...basic, ...fields });
      return { key: { libraryId, mediaId, shareId: id }, url: `${edge.base}/share/${token}` };
    },
    async close() {
      mailer.close();
      await mail.close();
      await edge.close();
      await fixture.close();
    },
  };
}

/** Sends a comment to a share page. Each request comes from a new client, unless `headers` identify one. */
export function sendComment(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/comments`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...newClient(), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

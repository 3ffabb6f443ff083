import type { IncomingMessage } from 'node:http';
import type { AuditStore } from '../../catalog/audit/audit-store.ts';
import type { Db } from '../../catalog/db.ts';
import type { CredentialStore } from '../../catalog/people/credential-store.ts';
import type { IdentityStore } from '../../catalog/people/identity-store.ts';
import type { PasskeyStore } from '../../catalog/people/passkey-store.ts';
import type { PersonStore } from '../../catalog/people/person-store.ts';
import type { SignInProviderStore } from '../../catalog/people/sign-in-provider-store.ts';
import type { AddressSet } from '../../lib/client-address.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { AuthenticateDeps } from '../authenticate.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import type { ReadPlayDataDeps } from '../read-play-data.ts';
import type { DashboardFiles } from './load-dashboard.ts';

/** Everything that the routes of the dashboard depend on. */
export type DashboardDeps = AuthenticateDeps &
  ReadPlayDataDeps & {
    audit: AuditStore;
    db: Db;
    /** True if a mail server is configured. */
    sendsMail: boolean;
    credentials: CredentialStore;
    people: PersonStore;
    passkeys: PasskeyStore;
    providers: SignInProviderStore;
    identities: IdentityStore;
    /** HTTP client for requests to sign-in providers. */
    outbound: Outbound;
    secretBox: SecretBox;
    publicUrl: string | null;
    /** Proxies whose headers name the origin of a request. */
    trusted: AddressSet;
    edgeUrl: string;
    files: (() => Promise<DashboardFiles>) | null;
    /** Days for which individual viewing sessions are kept. */
    sessionDays: number;
    /** True if a language model is configured, which translates captions. */
    translates: boolean;
    findSpeech(): Promise<SpeechEngine | null>;
    /** Returns the caller's own address, even behind proxies. */
    callerOf(message: IncomingMessage): string;
  };

import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { PasskeyPlace } from '../../../src/api/dashboard/passkey-place.ts';
import { api } from './api.ts';
import { t } from './language.ts';

/** Path of the signed-in person's passkeys. */
export const PASSKEYS = '/dashboard/account/passkeys';

type Library = typeof import('@simplewebauthn/browser');

/** Creates a passkey for the signed-in person. `current` is the password, or empty for people without one. */
export async function addPasskey({ name, current }: { name: string; current: string }): Promise<void> {
  const optionsJSON = await api<PublicKeyCredentialCreationOptionsJSON>('POST', `${PASSKEYS}/options`, { current });
  const { id, response } = await confirm((library) => library.startRegistration({ optionsJSON }));
  const { clientDataJSON, attestationObject } = response;
  await api('POST', PASSKEYS, { name, id, clientDataJSON, attestationObject });
}

/** Lets the person choose a passkey. Returns the body of the sign-in. */
export async function choosePasskey(): Promise<object> {
  const optionsJSON = await api<PublicKeyCredentialRequestOptionsJSON>('POST', '/dashboard/passkey/options', {});
  const { id, response } = await confirm((library) => library.startAuthentication({ optionsJSON }));
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response;
  return { id, clientDataJSON, authenticatorData, signature, userHandle };
}

/** Returns why this page cannot use passkeys, or null if it can. */
export function passkeyFault({ origin, url, fault }: PasskeyPlace): string | null {
  switch (fault) {
    case 'no-address':
      return t('Passkeys need the public URL of the service. Set MILLRACE_PUBLIC_URL to its https URL.');
    case 'address':
      return t('Passkeys need a host name, but MILLRACE_PUBLIC_URL has an IP address.');
    case 'plain-http':
      return t('Passkeys need https, but MILLRACE_PUBLIC_URL has http.');
    case null:
      if (origin !== location.origin) return t('Passkeys work only at {0}. Open the dashboard there.', url);
      return 'PublicKeyCredential' in window ? null : t('This browser does not support passkeys.');
  }
}

/** Loads the library and runs a dialog of the browser. */
async function confirm<T>(run: (library: Library) => Promise<T>): Promise<T> {
  try {
    return await run(await import('@simplewebauthn/browser'));
  } catch (reason) {
    throw new Error(describe(reason), { cause: reason });
  }
}

/** Describes an error of the browser (WebAuthn Level 3 sections 5.1.3 and 5.1.4). */
function describe(reason: unknown): string {
  const name = reason instanceof Error ? reason.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return t('Cancelled, or no passkey was found. Try again.');
  if (name === 'InvalidStateError') return t('This device already has a passkey for your account.');
  return t('The browser could not use a passkey: {0}', reason instanceof Error ? reason.message : String(reason));
}

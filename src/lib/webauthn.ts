import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Guid } from './guid.ts';

/** Identity of the service in WebAuthn: a host name, and the origin of the pages that may use its passkeys. */
export type RelyingParty = { id: string; origin: string };

/** Fields of a new credential as a browser returns them, in base64url. */
export type SentRegistration = { id: string; clientDataJSON: string; attestationObject: string };

/** Fields of a signature as a browser returns them, in base64url. */
export type SentAssertion = {
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle: string;
};

/** A verified credential. `counter` is 0 if the authenticator does not count. */
export type VerifiedCredential = { credentialId: string; publicKey: Buffer; counter: number; isBackedUp: boolean };

/** Time that the browser gives a person to confirm, in ms. */
const CONFIRM_MS = 5 * 60_000;
/** EdDSA, ES256 and RS256 (RFC 9053), which all authenticators and browsers have at least one of. */
const ALGORITHMS = [-8, -7, -257];
const RELYING_PARTY_NAME = 'Millrace';

/** Returns the options with which a browser creates a passkey. Their challenge is random and used once. */
export async function registrationOptions(
  { id }: RelyingParty,
  person: { id: Guid; email: string; name: string; credentialIds: readonly string[] },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  // Loaded with the first passkey, because it takes a second on a small machine.
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  return generateRegistrationOptions({
    rpName: RELYING_PARTY_NAME,
    rpID: id,
    userID: Uint8Array.from(userHandleOf(person.id)),
    userName: person.email,
    userDisplayName: person.name === '' ? person.email : person.name,
    timeout: CONFIRM_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: person.credentialIds.map((credentialId) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** Verifies a new credential. Returns null if it does not belong to the challenge, the origin and the host name. */
export async function verifyRegistration(
  { id, origin }: RelyingParty,
  challenge: string,
  sent: SentRegistration,
): Promise<VerifiedCredential | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { clientDataJSON, attestationObject } = sent;
  const response: RegistrationResponseJSON = {
    ...publicKeyFields(sent.id),
    response: { clientDataJSON, attestationObject },
  };
  const found = await orNull(
    verifyRegistrationResponse({
      response,
      ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: id },
      ...{ requireUserVerification: true, supportedAlgorithmIDs: ALGORITHMS },
    }),
  );
  if (found === null || !found.verified) return null;
  const { credential, credentialBackedUp } = found.registrationInfo;
  if (credential.id !== sent.id) return null;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    isBackedUp: credentialBackedUp,
  };
}

/**
 * Returns the options with which a browser signs in. They name no credential, so they are the same for everybody and do
 * not reveal who has a passkey.
 */
export async function authenticationOptions({ id }: RelyingParty): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  return generateAuthenticationOptions({ rpID: id, timeout: CONFIRM_MS, userVerification: 'required' });
}

/**
 * Verifies a signature of a stored credential. Returns its new counter, or null if it does not belong to the challenge,
 * the origin, the host name and the person, or if a counter other than 0 did not increase.
 */
export async function verifyAssertion(
  { id, origin }: RelyingParty,
  sent: SentAssertion,
  expected: { challenge: string; personId: Guid; credential: Omit<VerifiedCredential, 'isBackedUp'> },
): Promise<{ counter: number; isBackedUp: boolean } | null> {
  // A user handle is required for discoverable credentials (WebAuthn Level 3 section 7.2, step 6).
  if (!Buffer.from(sent.userHandle, 'base64url').equals(userHandleOf(expected.personId))) return null;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { clientDataJSON, authenticatorData, signature, userHandle } = sent;
  const { credentialId, publicKey, counter } = expected.credential;
  const response: AuthenticationResponseJSON = {
    ...publicKeyFields(sent.id),
    response: { clientDataJSON, authenticatorData, signature, userHandle },
  };
  const found = await orNull(
    verifyAuthenticationResponse({
      response,
      ...{ expectedChallenge: expected.challenge, expectedOrigin: origin, expectedRPID: id },
      credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter },
      requireUserVerification: true,
    }),
  );
  if (found === null || !found.verified) return null;
  const { newCounter, credentialBackedUp } = found.authenticationInfo;
  return { counter: newCounter, isBackedUp: credentialBackedUp };
}

function userHandleOf(personId: Guid): Buffer {
  return Buffer.from(personId.replaceAll('-', ''), 'hex');
}

function publicKeyFields(id: string) {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const;
}

/** The library throws for each mismatch. All of them are faults of the sender. */
async function orNull<T>(verification: Promise<T>): Promise<T | null> {
  try {
    return await verification;
  } catch {
    return null;
  }
}

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Values that an attacker changes. The other values are correct. */
export type Forgery = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  counter?: number;
  isVerified?: boolean;
  type?: string;
  userHandle?: string;
  id?: string;
  /** Origin of the page around a frame of another site. */
  topOrigin?: string;
};

export type Registration = { id: string; clientDataJSON: string; attestationObject: string };
export type Assertion = Record<'id' | 'clientDataJSON' | 'authenticatorData' | 'signature' | 'userHandle', string>;

/** A software authenticator with one passkey (WebAuthn Level 3 section 6), so that tests can forge each field. */
export type Authenticator = {
  id: string;
  register(options: { challenge: string; user: { id: string } }, origin: string, forgery?: Forgery): Registration;
  sign(options: { challenge: string }, origin: string, forgery?: Forgery): Assertion;
};

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

export function createAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = '';
  return {
    id: id.toString('base64url'),
    register({ challenge, user }, origin, forgery = {}) {
      userHandle = user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const given = { origin, challenge, counter, type: 'webauthn.create', ...forgery };
      const data = authenticatorData(given, ATTESTED, attested);
      // A CBOR map of three entries: fmt "none", an empty attStmt, and authData with a length of two bytes.
      const head = Buffer.concat([text('fmt'), text('none'), text('attStmt'), Buffer.of(0xa0), text('authData')]);
      const size = Buffer.of(0x59, data.length >> 8, data.length & 0xff);
      const object = Buffer.concat([Buffer.of(0xa3), head, size, data]);
      return {
        id: forgery.id ?? id.toString('base64url'),
        clientDataJSON: clientData(given).toString('base64url'),
        attestationObject: object.toString('base64url'),
      };
    },
    sign({ challenge }, origin, forgery = {}) {
      counter += 1;
      const given = { origin, challenge, counter, type: 'webauthn.get', ...forgery };
      const client = clientData(given);
      const data = authenticatorData(given, 0, Buffer.alloc(0));
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        id: forgery.id ?? id.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        userHandle: forgery.userHandle ?? userHandle,
      };
    },
  };
}

type Given = Forgery & { origin: string; challenge: string; counter: number; type: string };

function clientData({ type, challenge, origin, topOrigin }: Given): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: topOrigin !== undefined, topOrigin }));
}

function authenticatorData(
  { origin, rpId = new URL(origin).hostname, counter, isVerified = true }: Given,
  flags: number,
  attested: Buffer,
): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const flag = Buffer.of(flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0));
  return Buffer.concat([createHash('sha256').update(rpId).digest(), flag, count, attested]);
}

/** Returns an ES256 key as a COSE map (RFC 9053 section 7.1.1). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const start = Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20);
  return Buffer.concat([start, Buffer.from(x, 'base64url'), Buffer.of(0x22, 0x58, 0x20), Buffer.from(y, 'base64url')]);
}

/** Returns a short CBOR text. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
}

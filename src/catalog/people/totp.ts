import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time step in seconds, digits and hash of the defaults of RFC 6238, which all authenticator apps use. */
const STEP_SEC = 30;
const DIGITS = 6;
/** Steps before and after the current one that are accepted, for clocks that differ (RFC 6238 section 5.2). */
const MAX_SKEW_STEPS = 1;
/** 160 bits, as RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Generates a secret in base32 without padding (RFC 4648 section 6). */
export function newTotpSecret(): string {
  const bits = [...randomBytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('');
}

/** Returns the `otpauth:` URL that an authenticator app reads from a QR code. */
export function totpAddress(secret: string, email: string): string {
  const label = encodeURIComponent(`Millrace:${email}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=Millrace`;
}

/** Returns the code of a time step (RFC 6238, RFC 4226 section 5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', readBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * Returns the step of a valid code, or null. `lastStep` is the step of the last accepted code. A code is accepted only
 * once (RFC 6238 section 5.2: "The verifier MUST NOT accept the second attempt of the OTP").
 */
export function findTotpStep(
  { secret, code, lastStep }: { secret: string; code: string; lastStep: number | null },
  nowMs: number = Date.now(),
): number | null {
  const given = Buffer.from(code.replaceAll(/\s/g, ''));
  const current = Math.floor(nowMs / 1000 / STEP_SEC);
  for (let step = current - MAX_SKEW_STEPS; step <= current + MAX_SKEW_STEPS; step += 1) {
    const expected = Buffer.from(totpCode(secret, step));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) continue;
    return lastStep === null || step > lastStep ? step : null;
  }
  return null;
}

function readBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/**
 * Algorithms of public keys in JSON Web Tokens. `none`, and secrets that are shared with a client, are not accepted. A
 * public key can therefore not be used as the secret of an HMAC.
 */
export const PUBLIC_KEY_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

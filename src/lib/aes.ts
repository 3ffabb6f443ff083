import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto';

export type AesMode = 'cbc' | 'ctr';

/** Encrypts bytes where they stand, from `iv` (16 bytes) on. In cbc a rest below 16 bytes stays as it is. */
export type EncryptInPlace = (bytes: Buffer, iv: Buffer) => void;

/** AES-128, opened for a key of 16 bytes. */
export type Aes = (mode: AesMode, key: Buffer) => EncryptInPlace;

const BLOCK_BYTES = 16;
const TRIAL_BYTES = 1_000;

/** By Node's own interface, which gives the result in memory of its own each time. */
export const nodeAes: Aes = (mode, key) => {
  // A cipher made from bare bytes costs ten times as much.
  const secret = createSecretKey(key);
  return (bytes, iv) => bytes.set(createCipheriv(`aes-128-${mode}`, secret, iv).update(bytes));
};

/**
 * Opens the OpenSSL that Node carries, through the optional package koffi: it writes over what it reads, so that
 * nothing has to be made, copied and thrown away. Where that cannot be, with the reason given to `onMissing`, `nodeAes`.
 */
export async function openAes(onMissing: (error: unknown) => void): Promise<Aes> {
  try {
    const aes = bindCalls(await import('koffi'));
    tryOut(aes);
    return aes;
  } catch (error) {
    onMissing(error);
    return nodeAes;
  }
}

function bindCalls({ alloc, load }: typeof import('koffi')): Aes {
  const library = load(null);
  const begin = library.func('int EVP_EncryptInit_ex(void *ctx, void *type, void *engine, void *key, void *iv)');
  const update = library.func('int EVP_EncryptUpdate(void *ctx, void *out, void *outBytes, void *in, int inBytes)');
  const types = {
    cbc: library.func('void *EVP_aes_128_cbc()')(),
    ctr: library.func('void *EVP_aes_128_ctr()')(),
  };
  // Never freed: one serves all keys, as each call begins it anew and ends before the next.
  const context = library.func('void *EVP_CIPHER_CTX_new()')();
  const outBytes = alloc('int', 1);
  return (mode, key) => {
    requireBlock('a key', key);
    return (bytes, iv) => {
      requireBlock('an initialisation vector', iv);
      const isDone =
        begin(context, types[mode], null, key, iv) === 1 && update(context, bytes, outBytes, bytes, bytes.length) === 1;
      if (!isDone) throw new Error(`Expected OpenSSL to encrypt ${bytes.length} bytes by AES-128-${mode}, it refused.`);
    };
  };
}

/** C reads that many bytes, whatever there is. */
function requireBlock(what: string, { length }: Buffer): void {
  if (length !== BLOCK_BYTES) throw new Error(`Expected ${what} of ${BLOCK_BYTES} bytes, got ${length}.`);
}

function tryOut(aes: Aes): void {
  const [key, iv, clear] = [randomBytes(BLOCK_BYTES), randomBytes(BLOCK_BYTES), randomBytes(TRIAL_BYTES)];
  for (const mode of ['cbc', 'ctr'] as const) {
    const [ours, expected] = [Buffer.from(clear), Buffer.from(clear)];
    aes(mode, key)(ours, iv);
    nodeAes(mode, key)(expected, iv);
    if (!ours.equals(expected)) throw new Error(`Expected AES-128-${mode} of OpenSSL to give the bytes of Node's.`);
  }
}

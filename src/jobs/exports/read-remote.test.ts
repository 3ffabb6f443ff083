import { expect, test } from 'vitest';
import { readRemote } from './read-remote.ts';
import type { RemoteFile } from './transfer-fault.ts';

/** A file `abcdef` whose first response ends after three bytes. `wholeAgain` ignores the position. */
function brokenFile(wholeAgain: boolean): { file: RemoteFile; asked: number[] } {
  const asked: number[] = [];
  const request = async (fromByte: number): Promise<Response> => {
    asked.push(fromByte);
    const isFirst = asked.length === 1;
    const text = isFirst ? 'abc' : 'abcdef'.slice(wholeAgain ? 0 : fromByte);
    let isSent = false;
    const body = new ReadableStream({
      pull(controller) {
        if (!isSent) controller.enqueue(Buffer.from(text));
        else if (isFirst) controller.error(new Error('cut'));
        else controller.close();
        isSent = true;
      },
    });
    return new Response(body);
  };
  return { file: { name: 'original', skips: !wholeAgain, request }, asked };
}

async function readAll(file: RemoteFile, canContinue: boolean): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readRemote(file, canContinue, new AbortController().signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('continues a file at the byte where its transfer ended', async () => {
  const { file, asked } = brokenFile(false);
  expect(await readAll(file, true)).toBe('abcdef');
  expect(asked).toEqual([0, 3]);
});

test('does not continue a file that may have changed, or one that starts again', async () => {
  await expect(readAll(brokenFile(false).file, false)).rejects.toThrow('cut');
  await expect(readAll(brokenFile(true).file, true)).rejects.toThrow('did not continue');
});

test('a status that no attempt can change ends the transfer at once', async () => {
  let calls = 0;
  const request = async () => {
    calls += 1;
    return new Response(null, { status: 404 });
  };
  await expect(readAll({ name: 'original', skips: true, request }, true)).rejects.toThrow('original: HTTP 404.');
  expect(calls).toBe(1);
});

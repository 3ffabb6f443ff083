import { expect, test } from 'vitest';
import { readWafSettings } from '../../libraries/library-settings.ts';
import { UnzonedWaf } from './unzoned-waf.ts';

test('a stalled database does not delay requests, and its settings apply once they are loaded', async () => {
  const loaded = { ...readWafSettings({}), enabled: !readWafSettings({}).enabled };
  const { promise, resolve } = Promise.withResolvers<typeof loaded>();
  const waf = new UnzonedWaf(
    () => promise,
    (error) => {
      throw error;
    },
  );
  expect(await waf.find()).toEqual(readWafSettings({}));
  resolve(loaded);
  await expect.poll(() => waf.find()).toEqual(loaded);
});

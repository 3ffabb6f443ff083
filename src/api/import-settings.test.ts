import { expect, test } from 'vitest';
import { importSettings } from './import-settings.ts';
import { PortableSettingsModel } from './models/portable-settings.ts';

test('more wrong settings than the limit are refused, so that the import goes on without settings', async () => {
  const names = Object.keys(PortableSettingsModel.properties.library.properties);
  const library = Object.fromEntries(names.map((name) => [name, { wrong: true }]));
  const wanted = {
    settings: { library },
    listsUnknown: false,
    securityKey: null,
    hostnames: [],
    mode: 'plan',
  } as const;
  // The settings are refused before any dependency is used.
  const imported = importSettings(1, wanted, {} as never, new AbortController().signal);
  await expect(imported).rejects.toMatchObject({ name: 'Refused', kind: 'invalid' });
});

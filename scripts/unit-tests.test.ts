import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findUnitTests } from './unit-tests.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'unit-tests-'));
  const files = {
    'src/lib/pure.test.ts': "import { pure } from './pure.ts';",
    'src/lib/pure.ts': "import { spawn } from 'node:child_process';",
    'src/lib/process.test.ts': "import { spawn } from 'node:child_process';",
    'src/lib/stored.test.ts': "import { makeRows } from '../../test/support/rows.ts';",
    'src/lib/seeded.test.ts': "import { random } from '../../test/support/random.ts';",
    'test/support/rows.ts': "import { openDatabase } from './database.ts';",
    'test/support/random.ts': 'export const random = Math.random;',
    'test/api/keys.test.ts': 'export {};',
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
});
afterAll(() => rm(root, { recursive: true }));

test('selects the tests next to their code that start no process, directly or through helpers', async () => {
  expect(await findUnitTests(root)).toEqual(['src/lib/pure.test.ts', 'src/lib/seeded.test.ts']);
});

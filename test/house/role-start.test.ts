import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { roles } from '../../src/config/roles.ts';

test.each(roles)('the role %s does not load the WebSocket client parts of Node', (role) => {
  const compose = path.join(import.meta.dirname, '../../src/compose.ts');
  const script = `
    const { loadRole } = await import(${JSON.stringify(compose)});
    await loadRole(${JSON.stringify(role)});
    console.log(process.moduleLoadList.join('\\n'));
  `;
  const args = ['--input-type=module', '--eval', script];
  const loaded = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  expect(loaded).toContain('NativeModule http\n');
  expect(loaded).not.toContain('undici');
});

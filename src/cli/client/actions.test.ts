import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runVerb } from './run-verb.ts';

test.each([
  ['upload', true],
  ['vimeo', false],
])('resuming an import from %s advises to run its command again: %s', async (source, isAdvised) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ guid: 'one', source, state: 'running', counts: {}, items: [] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const lines: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
    onTestFinished(() => spy.mockRestore());
  }
  const access = ['--url', `http://127.0.0.1:${Object(server.address()).port}`, '--key', 'key', '--library', '1'];
  expect(await runVerb(['imports', 'resume', 'one', ...access])).toBe(0);
  expect(lines.join('').includes('run the command of this import again')).toBe(isAdvised);
});

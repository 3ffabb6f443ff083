import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Ends a child at the end of the test that started it, however that ends. */
export function endWithTest<Child extends ChildProcess>(child: Child): Child {
  onTestFinished(async () => {
    // One that could not be started, or has ended, has no exit to wait for.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

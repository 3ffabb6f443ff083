import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Kills a child process at the end of the test that started it, whether the test passes or fails. */
export function endWithTest<Child extends ChildProcess>(child: Child): Child {
  onTestFinished(async () => {
    // A child that failed to start, or has exited, emits no exit event.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

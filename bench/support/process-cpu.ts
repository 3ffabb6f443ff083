import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the CPU time of all threads of a process, in seconds, with a resolution of a nanosecond (proc(5), schedstat).
 */
export function cpuSecOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [onCpuNs = ''] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(onCpuNs) / 1e9;
  }, 0);
}

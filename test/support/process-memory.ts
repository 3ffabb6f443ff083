import { readFileSync, writeFileSync } from 'node:fs';

const MIB = 1024 * 1024;

/** Memory of a process as the kernel reports it (proc_pid_status(5)), in MiB. */
export type ProcessMemory = { nowMib: number; peakMib: number };

export function readMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
    if (match === null) throw new Error(`Expected ${name} in the status of process ${pid}.`);
    return (Number(match[1]) * 1024) / MIB;
  };
  return { nowMib: read('VmRSS'), peakMib: read('VmHWM') };
}

/** Resets the peak, which then counts from the current value (proc_pid_clear_refs(5)). */
export function forgetPeak(pid: number): ProcessMemory {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return readMemory(pid);
}

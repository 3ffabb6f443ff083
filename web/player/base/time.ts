/** Formats a time as `4:05` or `1:02:03`. Negative times get a minus sign. */
export function writeTime(sec: number): string {
  const { hours, minutes, seconds } = split(Math.abs(sec));
  const sign = sec <= -1 ? '-' : '';
  const tail = String(seconds).padStart(2, '0');
  return hours > 0 ? `${sign}${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${sign}${minutes}:${tail}`;
}

/** Formats a time as `21 s`, `4 min 5 s` or `1 h 2 min 3 s`, with the same symbols in every language (ISO 80000-3). */
export function sayTime(sec: number): string {
  const { hours, minutes, seconds } = split(Math.max(0, sec));
  const parts = [hours > 0 ? `${hours} h` : '', hours > 0 || minutes > 0 ? `${minutes} min` : '', `${seconds} s`];
  return parts.filter((part) => part !== '').join(' ');
}

function split(sec: number): { hours: number; minutes: number; seconds: number } {
  const whole = Number.isFinite(sec) ? Math.floor(sec) : 0;
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, seconds: whole % 60 };
}

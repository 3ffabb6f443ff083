import { setting } from './setting.ts';

export type DrmSettings = {
  /** The scheme under which videos are protected from now on; those that are keep theirs. */
  drmScheme: 'cbcs' | 'cenc';
};

export const drmSchema = {
  MILLRACE_DRM_SCHEME: setting('cbcs or cenc', parseScheme),
};

export function drmSettings(texts: Partial<Record<keyof typeof drmSchema, string>>): DrmSettings {
  return { drmScheme: parseScheme(texts.MILLRACE_DRM_SCHEME ?? '') ?? 'cbcs' };
}

function parseScheme(text: string): DrmSettings['drmScheme'] | null {
  return text === 'cbcs' || text === 'cenc' ? text : null;
}

export type Device = 'desktop' | 'mobile' | 'tablet' | 'tv' | '';

const TV = /smart-?tv|hbbtv|appletv|googletv|android tv|bravia|webos|tizen.*tv|roku|aft[a-z]/i;
const TABLET = /ipad|tablet|kindle|silk\/|android(?!.*mobile)/i;
const MOBILE = /iphone|ipod|mobile|android/i;
const DESKTOP = /windows|macintosh|x11|linux|cros/i;

/** Returns the kind of device in a User-Agent header; empty if it contains none. */
export function deviceOf(userAgent: string): Device {
  if (TV.test(userAgent)) return 'tv';
  if (TABLET.test(userAgent)) return 'tablet';
  if (MOBILE.test(userAgent)) return 'mobile';
  return DESKTOP.test(userAgent) ? 'desktop' : '';
}

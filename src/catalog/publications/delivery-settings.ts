/** The library's settings that decide what the edge gives out. */
export type DeliverySettings = {
  keepsOriginals: boolean;
  exposesOriginals: boolean;
  allowsEarlyPlay: boolean;
  keyColor: string | null;
};

const COLOR = /^#[0-9a-fA-F]{6}$/;

/**
 * Reads them from the library's settings, which carry their wire names (KeepOriginalFiles, ExposeOriginals,
 * AllowEarlyPlay, PlayerKeyColor); names are compared without case. Absent: originals kept, nothing shown.
 */
export function readDeliverySettings(settings: Record<string, unknown>): DeliverySettings {
  const values = new Map(Object.entries(settings).map(([name, value]) => [name.toLowerCase(), value]));
  const color = values.get('playerkeycolor');
  return {
    keepsOriginals: values.get('keeporiginalfiles') !== false,
    exposesOriginals: values.get('exposeoriginals') === true,
    allowsEarlyPlay: values.get('allowearlyplay') === true,
    keyColor: typeof color === 'string' && COLOR.test(color) ? color : null,
  };
}

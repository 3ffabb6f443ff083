import type { RoleSettings } from '../config/settings.ts';
import { openAsn } from './asn.ts';

type Place = { country: string; asn: string };

/** Where addresses are, for a role that seldom looks: the databases are opened at the first look. */
export function openPlaces(settings: RoleSettings): (address: string) => Promise<Place> {
  let opening: Promise<(address: string) => Place> | null = null;
  const open = async () => {
    const { openMmdb } = await import('../adapters/geo/mmdb.ts');
    const [geo, asnOf] = await Promise.all([openMmdb(settings.countryDatabase), openAsn(settings)]);
    return (address: string) => ({ country: geo.countryOf(address) ?? '', asn: asnOf(address) ?? '' });
  };
  return async (address) => {
    opening ??= open();
    const locate = await opening;
    return locate(address);
  };
}

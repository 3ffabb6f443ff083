import type { RoleSettings } from '../config/settings.ts';

type Place = { country: string; asn: string };

/** Where addresses are, for a role that seldom looks: the databases are opened at the first look. */
export function openPlaces({ countryDatabase, asnDatabase }: RoleSettings): (address: string) => Promise<Place> {
  let opening: Promise<(address: string) => Place> | null = null;
  const open = async () => {
    const { openMmdb, openMmdbAsn } = await import('../adapters/geo/mmdb.ts');
    const geo = await openMmdb(countryDatabase);
    const asnOf = asnDatabase === null ? () => null : await openMmdbAsn(asnDatabase);
    return (address: string) => ({ country: geo.countryOf(address) ?? '', asn: asnOf(address) ?? '' });
  };
  return async (address) => {
    opening ??= open();
    const locate = await opening;
    return locate(address);
  };
}

import { defineOperation } from '../define-operation.ts';
import { RegionList } from '../models/places.ts';
import { ONLY_REGION_ID } from '../only-region-id.ts';
import { NoParams } from '../read-params.ts';

/**
 * An installation is one region: its machines belong to the operator, and its location is unknown to the service. The
 * code is the one that storage zones of the hosted API have by default, because clients look regions up by their code.
 */
export const listRegions = defineOperation({
  name: 'listRegions',
  method: 'GET',
  path: '/region',
  description: 'Lists the regions of the service: one, the installation itself. Its location is unknown.',
  auth: 'account-key',
  permission: 'libraries.list',
  params: NoParams,
  answer: RegionList,
  errorShape: 'core',
  run: async () => [
    {
      Id: ONLY_REGION_ID,
      Name: 'Millrace',
      PricePerGigabyte: 0,
      RegionCode: 'DE',
      ContinentCode: null,
      CountryCode: null,
      Latitude: 0,
      Longitude: 0,
      AllowLatencyRouting: false,
    },
  ],
});

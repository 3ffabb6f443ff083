/** Id of the only region: an installation is one. `GET /statistics` accepts it as `serverZoneId`. */
export const ONLY_REGION_ID = 1;

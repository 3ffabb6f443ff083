import type { Operation } from '../define-operation.ts';
import type { OperationDeps } from '../operation-deps.ts';
import { createPullZone, deletePullZone } from './add-or-delete-zone.ts';
import { addHostname, purgeCache, removeHostname } from './change-hostnames.ts';
import {
  addBlockedIp,
  addZoneAllowedReferrer,
  addZoneBlockedReferrer,
  removeBlockedIp,
  removeZoneAllowedReferrer,
  removeZoneBlockedReferrer,
} from './change-zone-lists.ts';
import { addCertificate, loadFreeCertificate, removeCertificate, setForceSsl } from './check-certificates.ts';
import { explainRequest } from './explain-request.ts';
import { getPullZone } from './get-pull-zone.ts';
import { listPullZones } from './list-pull-zones.ts';
import { resetSecurityKey } from './reset-security-key.ts';
import { updatePullZone } from './update-pull-zone.ts';

/** Operations on pull zones: their settings, host names, certificates and lists. */
export const pullZoneOperations: readonly Operation<OperationDeps>[] = [
  getPullZone,
  listPullZones,
  createPullZone,
  updatePullZone,
  deletePullZone,
  addZoneAllowedReferrer,
  removeZoneAllowedReferrer,
  addZoneBlockedReferrer,
  removeZoneBlockedReferrer,
  addBlockedIp,
  removeBlockedIp,
  addHostname,
  removeHostname,
  loadFreeCertificate,
  addCertificate,
  removeCertificate,
  setForceSsl,
  purgeCache,
  explainRequest,
  resetSecurityKey,
];

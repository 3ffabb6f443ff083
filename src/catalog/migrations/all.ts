import type { Migration } from 'kysely/migration';
import { up as start } from './001-start.ts';
import { up as webhooks } from './003-webhooks.ts';
import { up as keysAndAudit } from './004-keys-and-audit.ts';
import { up as uploads } from './004-uploads.ts';
import { up as videoParts } from './005-video-parts.ts';
import { up as titleSearch } from './006-title-search.ts';
import { up as webhookLines } from './007-webhook-lines.ts';
import { up as jit } from './010-jit.ts';
import { up as pictures } from './011-pictures.ts';
import { up as drm } from './012-drm.ts';
import { up as editing } from './013-editing.ts';
import { up as fairQueue } from './013-fair-queue.ts';
import { up as replace } from './013-replace.ts';
import { up as scrub } from './014-scrub.ts';
import { up as unkeptOriginals } from './016-unkept-originals.ts';
import { up as shortSearches } from './017-short-searches.ts';
import { up as claims } from './018-claims.ts';
import { up as incomplete } from './030-incomplete.ts';
import { up as tasks } from './031-tasks.ts';
import { up as listOrders } from './032-list-orders.ts';
import { up as uploadShares } from './033-upload-shares.ts';
import { up as storeIdentity } from './035-store-identity.ts';
import { up as licenceCounts } from './040-licence-counts.ts';
import { up as zonePolicies } from './050-zone-policies.ts';
import { up as shieldEvents } from './051-shield-events.ts';
import { up as live } from './060-live.ts';
import { up as statistics } from './070-statistics.ts';
import { up as dashboardSession } from './090-dashboard-session.ts';
import { up as standardNames } from './099-standard-names.ts';
import { up as chunkMerges } from './110-chunk-merges.ts';
import { up as videoCounts } from './111-video-counts.ts';
import { up as titleOrder } from './112-title-order.ts';
import { up as scrubByWorkers } from './113-scrub-by-workers.ts';
import { up as liveLadder } from './125-live-ladder.ts';
import { up as shieldSettings } from './130-shield-settings.ts';
import { up as smart } from './150-smart.ts';
import { up as spokenSearch } from './151-spoken-search.ts';
import { up as speechSpans } from './152-speech-spans.ts';
import { up as signInLink } from './160-sign-in-link.ts';
import { up as trashAndBulk } from './161-trash-and-bulk.ts';
import { up as bulkUndo } from './162-bulk-undo.ts';
import { up as storageMove } from './163-storage-move.ts';
import { up as recordingClock } from './175-recording-clock.ts';
import { up as recordingRungs } from './176-recording-rungs.ts';
import { up as rungsOfPeriods } from './177-rungs-of-periods.ts';
import { up as audience } from './190-audience.ts';
import { up as speechRuns } from './195-speech-runs.ts';
import { up as segmentTasks } from './205-segment-tasks.ts';
import { up as statisticsIndexes } from './206-statistics-indexes.ts';
import { up as movesWithoutPlaces } from './207-moves-without-places.ts';
import { up as sheetTasks } from './213-sheet-tasks.ts';
import { up as cancel } from './240-cancel.ts';
import { up as attemptLogs } from './241-attempt-logs.ts';
import { up as lastBackup } from './242-last-backup.ts';
import { up as codecNames } from './260-codec-names.ts';
import { up as taskKinds } from './261-task-kinds.ts';
import { up as countryDays } from './270-country-days.ts';
import { up as imageNames } from './280-image-names.ts';
import { up as viewersNow } from './281-viewers-now.ts';
import { up as renditionNames } from './282-rendition-names.ts';
import { up as relayStates } from './295-relay-states.ts';
import { up as uploadParts } from './298-upload-parts.ts';
import { up as keyNotices } from './299-key-notices.ts';
import { up as viewEvidence } from './303-view-evidence.ts';
import { up as programmeClock } from './310-programme-clock.ts';
import { up as audioTracks } from './345-audio-tracks.ts';

/** All migrations in order. Add a new one as one line here. Never change a released one. */
export const migrations: Record<string, Migration> = {
  '001-start': { up: start },
  '003-webhooks': { up: webhooks },
  '004-keys-and-audit': { up: keysAndAudit },
  '004-uploads': { up: uploads },
  '005-video-parts': { up: videoParts },
  '006-title-search': { up: titleSearch },
  '007-webhook-lines': { up: webhookLines },
  '010-jit': { up: jit },
  '011-pictures': { up: pictures },
  '012-drm': { up: drm },
  '013-editing': { up: editing },
  '013-fair-queue': { up: fairQueue },
  '013-replace': { up: replace },
  '014-scrub': { up: scrub },
  '016-unkept-originals': { up: unkeptOriginals },
  '017-short-searches': { up: shortSearches },
  '018-claims': { up: claims },
  '030-incomplete': { up: incomplete },
  '031-tasks': { up: tasks },
  '032-list-orders': { up: listOrders },
  '033-upload-shares': { up: uploadShares },
  '035-store-identity': { up: storeIdentity },
  '040-licence-counts': { up: licenceCounts },
  '050-zone-policies': { up: zonePolicies },
  '051-shield-events': { up: shieldEvents },
  '060-live': { up: live },
  '070-statistics': { up: statistics },
  '090-dashboard-session': { up: dashboardSession },
  '099-standard-names': { up: standardNames },
  '110-chunk-merges': { up: chunkMerges },
  '111-video-counts': { up: videoCounts },
  '112-title-order': { up: titleOrder },
  '113-scrub-by-workers': { up: scrubByWorkers },
  '125-live-ladder': { up: liveLadder },
  '130-shield-settings': { up: shieldSettings },
  '150-smart': { up: smart },
  '151-spoken-search': { up: spokenSearch },
  '152-speech-spans': { up: speechSpans },
  '160-sign-in-link': { up: signInLink },
  '161-trash-and-bulk': { up: trashAndBulk },
  '162-bulk-undo': { up: bulkUndo },
  '163-storage-move': { up: storageMove },
  '175-recording-clock': { up: recordingClock },
  '176-recording-rungs': { up: recordingRungs },
  '177-rungs-of-periods': { up: rungsOfPeriods },
  '190-audience': { up: audience },
  '195-speech-runs': { up: speechRuns },
  '205-segment-tasks': { up: segmentTasks },
  '206-statistics-indexes': { up: statisticsIndexes },
  '207-moves-without-places': { up: movesWithoutPlaces },
  '213-sheet-tasks': { up: sheetTasks },
  '240-cancel': { up: cancel },
  '241-attempt-logs': { up: attemptLogs },
  '242-last-backup': { up: lastBackup },
  '260-codec-names': { up: codecNames },
  '261-task-kinds': { up: taskKinds },
  '270-country-days': { up: countryDays },
  '280-image-names': { up: imageNames },
  '281-viewers-now': { up: viewersNow },
  '282-rendition-names': { up: renditionNames },
  '295-relay-states': { up: relayStates },
  '298-upload-parts': { up: uploadParts },
  '299-key-notices': { up: keyNotices },
  '303-view-evidence': { up: viewEvidence },
  '310-programme-clock': { up: programmeClock },
  '345-audio-tracks': { up: audioTracks },
};

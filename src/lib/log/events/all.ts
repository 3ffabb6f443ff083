import { deliveryEvents } from './delivery-events.ts';
import { httpEvents, keyEvents } from './http-events.ts';
import { liveEvents } from './live-events.ts';
import { databaseEvents, serviceEvents } from './service-events.ts';
import { backupEvents, housekeepingEvents, storageEvents } from './storage-events.ts';
import { notificationEvents, taskEvents, uploadEvents, videoEvents, webhookEvents } from './work-events.ts';

/** Every event that the service logs, by its stable name. */
export const LOG_EVENTS = {
  ...serviceEvents,
  ...databaseEvents,
  ...storageEvents,
  ...httpEvents,
  ...keyEvents,
  ...uploadEvents,
  ...taskEvents,
  ...videoEvents,
  ...webhookEvents,
  ...notificationEvents,
  ...liveEvents,
  ...deliveryEvents,
  ...housekeepingEvents,
  ...backupEvents,
};

export type LogEvents = typeof LOG_EVENTS;
export type LogEventName = keyof LogEvents;

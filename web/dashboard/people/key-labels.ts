import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AccessKeyModel } from '../../../src/api/models/access-key.ts';
import type { AccountAuditLineModel } from '../../../src/api/models/account-audit.ts';
import { api } from '../base/api.ts';

/** Loads the labels of the keys of all libraries in a page of the audit log, by id. Revoked keys have no label. */
export function useKeyLabels(lines: readonly AccountAuditLineModel[]): Signal<ReadonlyMap<string, string>> {
  const labels = useSignal<ReadonlyMap<string, string>>(new Map());
  const ofKeys = lines.filter(({ Scope }) => Scope !== 'account');
  const libraries = [...new Set(ofKeys.flatMap(({ LibraryId }) => LibraryId ?? []))].toSorted((a, b) => a - b);
  const wanted = libraries.join();
  useEffect(() => {
    const turn = new AbortController();
    const load = async (id: string) => api<AccessKeyModel[]>('GET', `/videolibrary/${id}/keys`, undefined, turn.signal);
    // A library may have been deleted since. Its keys keep the end of their id as a name.
    void Promise.allSettled(wanted.split(',').filter(Boolean).map(load)).then((found) => {
      const keys = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      if (!turn.signal.aborted) labels.value = new Map(keys.map(({ Id, Label }) => [Id, Label ?? '']));
    });
    return () => turn.abort();
  }, [wanted, labels]);
  return labels;
}

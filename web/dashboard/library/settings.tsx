import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { go, replacePath } from '../base/router.ts';
import { may } from '../base/session.ts';
import { Link, Notice, Tabs } from '../parts/parts.tsx';
import { AccessFields } from './access-fields.tsx';
import { Audit } from './audit.tsx';
import { ChatWebhook } from './chat-webhook.tsx';
import { DeleteLibrary } from './delete-library.tsx';
import { EncodingFields } from './encoding-fields.tsx';
import type { FieldsProps } from './fields-props.ts';
import { GeneralFields } from './general-fields.tsx';
import { jumpTo, stopJump } from './jump-to.ts';
import { Keys } from './keys.tsx';
import { PlayerFields } from './player-fields.tsx';
import { Quotas } from './quotas.tsx';
import { Rules } from './rules.tsx';
import { ACCOUNT_BLOCKS, SECTIONS, type Section, sectionOf } from './settings-index.ts';
import { SettingsSearch } from './settings-search.tsx';
import { SoundFields } from './sound-fields.tsx';
import { Storage } from './storage.tsx';
import { TranscriptionFields } from './transcription-fields.tsx';
import { ViewerAccess } from './viewer-access.tsx';
import { Watermark } from './watermark.tsx';
import { Webhooks } from './webhooks.tsx';

const mayOpen = (block: string) => may('account.manage') || !ACCOUNT_BLOCKS.includes(block);
const firstOf = ({ blocks }: Section) => blocks[0]?.[0] ?? '';

/**
 * A library's settings in five sections. For keys of the account, and for people who may manage the library. `part` is
 * a block of a section.
 */
export function Settings({ libraryId, part }: { libraryId: number; part: string }) {
  const { value, error, again } = useLoaded<VideoLibraryModel>(`/videolibrary/${libraryId}`);
  const library = value.value;
  const section = sectionOf(part);
  const isLoaded = library !== null;
  /** Block of the last jump, which may be to a setting in it. */
  const reached = useRef('');
  useEffect(() => {
    if (isLoaded && !section.isPaged && part !== firstOf(section) && part !== reached.current) jumpTo(part, null);
    reached.current = '';
  }, [isLoaded, part, section]);
  useEffect(() => stopJump, []);
  const isKnown = section.blocks.some(([name]) => name === part);
  // An unknown block shows the first section, so the URL becomes that of the settings.
  useEffect(() => {
    if (!isKnown) replacePath({ name: 'settings', libraryId });
  }, [isKnown, libraryId]);
  const open = (block: string, label: string | null) => {
    const to = { name: 'settings', libraryId, part: block } as const;
    reached.current = block;
    // Within a page, no unsaved changes are lost.
    if (sectionOf(block) === section && !section.isPaged) replacePath(to);
    else go(to, '', label !== null);
    jumpTo(block, label === null ? null : tr(label));
  };
  return (
    <>
      <header class="place">
        <h1>{t('Settings')}</h1>
        <span class="hint">{library?.Name ?? t('Library {0}', libraryId)}</span>
        <span class="push" />
        <SettingsSearch mayOpen={mayOpen} onChoose={open} />
      </header>
      <Tabs label={t('Settings sections')} open={firstOf(section)}>
        {SECTIONS.map((one) => (
          <Link
            key={one.label}
            to={{ name: 'settings', libraryId, part: firstOf(one) }}
            isHere={one === section}
            keepsScroll
          >
            {tr(one.label)}
          </Link>
        ))}
      </Tabs>
      <Blocks section={section} part={part} libraryId={libraryId} onOpen={open} />
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {library !== null && <Shown key={section.label} {...{ section, part, libraryId, library }} onChanged={again} />}
    </>
  );
}

type BlocksProps = {
  section: Section;
  part: string;
  libraryId: number;
  onOpen: (block: string, label: string | null) => void;
};

/** Links to the blocks of the open section. */
function Blocks({ section, part, libraryId, onOpen }: BlocksProps) {
  const blocks = section.blocks.filter(([name]) => mayOpen(name));
  if (blocks.length < 2) return null;
  return (
    <nav class="blocks" aria-label={t('On this page')}>
      {blocks.map(([name, label]) =>
        section.isPaged ? (
          <Link key={name} to={{ name: 'settings', libraryId, part: name }} isHere={name === part} keepsScroll>
            {tr(label)}
          </Link>
        ) : (
          <button key={name} type="button" onClick={() => onOpen(name, null)}>
            {tr(label)}
          </button>
        ),
      )}
    </nav>
  );
}

type ShownProps = {
  section: Section;
  part: string;
  libraryId: number;
  library: VideoLibraryModel;
  onChanged: () => void;
};

function Shown({ section, part, libraryId, library, onChanged }: ShownProps) {
  const form = { libraryId, library, onSaved: onChanged };
  switch (firstOf(section)) {
    case 'encoding':
      return (
        <div class="settings">
          <Form {...form} id="encoding" name={t('Encoding')} Fields={EncodingFields} />
          <Block name="sound">
            <SoundFields libraryId={libraryId} />
          </Block>
          <Form {...form} id="transcription" name={t('Transcription')} Fields={TranscriptionFields} />
          <Block name="watermark">
            <Watermark libraryId={libraryId} library={library} onChanged={onChanged} />
          </Block>
        </div>
      );
    case 'player':
      return <Form {...form} id="player" name={t('Player')} Fields={PlayerFields} />;
    case 'access':
      return (
        <div class="settings">
          <Form {...form} id="access" name={t('Access')} Fields={AccessFields} />
          <Block name="viewers">{may('library.manage', libraryId) && <ViewerAccess libraryId={libraryId} />}</Block>
          <Block name="rules">{mayOpen('rules') && <Rules zoneId={library.PullZoneId} />}</Block>
        </div>
      );
    case 'webhooks':
      return (
        <Block name={part}>
          {part === 'keys' && <Keys libraryId={libraryId} library={library} onChanged={onChanged} />}
          {part === 'webhooks' && <Webhooks libraryId={libraryId} library={library} onChanged={onChanged} />}
          {part === 'chat' && <ChatWebhook libraryId={libraryId} />}
          {part === 'audit' && <Audit libraryId={libraryId} />}
        </Block>
      );
    default:
      return (
        <div class="settings">
          <Form {...form} id="general" name={t('Library')} Fields={GeneralFields} />
          <Block name="storage">{mayOpen('storage') && <Storage library={library} />}</Block>
          <Block name="quotas">
            <Quotas libraryId={libraryId} />
          </Block>
          {may('library.delete', libraryId) && <DeleteLibrary library={library} />}
        </div>
      );
  }
}

function Block({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div id={`block-${name}`} class="settings-block">
      {children}
    </div>
  );
}

type FormProps = {
  id: string;
  name: string;
  libraryId: number;
  library: VideoLibraryModel;
  Fields: (props: FieldsProps) => JSX.Element;
  onSaved: () => void;
};

function Form({ id, name, libraryId, library, Fields, onSaved }: FormProps) {
  const { value, resets, change } = useDraft(library, {
    name,
    async save(edits) {
      await api('POST', `/videolibrary/${libraryId}`, edits);
      onSaved();
    },
  });
  return (
    <Block name={id}>
      <Fields
        key={resets}
        libraryId={libraryId}
        library={value}
        change={(field, to) => change({ [field]: to } as Partial<VideoLibraryModel>)}
      />
    </Block>
  );
}

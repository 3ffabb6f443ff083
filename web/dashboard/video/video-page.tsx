import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { api, describeError } from '../base/api.ts';
import { follow } from '../base/follow.ts';
import { useLoaded } from '../base/load.ts';
import { go } from '../base/router.ts';
import { mayWrite, session } from '../base/session.ts';
import { bytes, clock, day, plural, videoState } from '../base/words.ts';
import { CopyField, Link, Notice } from '../parts/parts.tsx';
import { StateChip } from '../videos/card.tsx';
import { VideoStatistics } from './video-statistics.tsx';

type Place = { libraryId: number; videoId: string };

export function VideoPage({ libraryId, videoId }: Place & { part: string }) {
  const path = `/library/${libraryId}/videos/${videoId}`;
  const { value, error, again } = useLoaded<VideoModel>(path);
  const refresh = useRef(again);
  refresh.current = again;
  useEffect(() => follow(`${path}/progress`, () => refresh.current()), [path]);
  const video = value.value;
  if (video === null) {
    return error.value === null ? <div class="player skeleton" /> : <Notice kind="error">{error.value}</Notice>;
  }
  return (
    <article class="video">
      <nav class="trail" aria-label="Way back">
        <Link to={{ name: 'videos', libraryId }}>Videos</Link>
      </nav>
      <Player libraryId={libraryId} video={video} />
      <TitleForm key={video.title} path={path} title={video.title} onSaved={again} />
      <p class="facts">
        <StateChip video={video} />
        <span>{clock(video.length)}</span>
        <span>{plural(video.views, 'view')}</span>
        <span>{bytes(video.storageSize)}</span>
        <span>{day(video.dateUploaded)}</span>
      </p>
      <Messages video={video} />
      <div class="columns">
        <Share libraryId={libraryId} videoId={videoId} title={video.title} />
        <Made video={video} />
        <Captions path={path} video={video} onChanged={again} />
        <VideoStatistics libraryId={libraryId} videoId={videoId} lengthSec={video.length} />
      </div>
      {mayWrite() && <Danger path={path} libraryId={libraryId} />}
    </article>
  );
}

function Player({ libraryId, video }: { libraryId: number; video: VideoModel }) {
  const { value } = useLoaded<{ address: string }>(
    `/dashboard/libraries/${libraryId}/videos/${video.guid}/embed-address`,
  );
  const { isPlayable, word } = videoState(video.status, video.availableResolutions);
  if (!isPlayable || value.value === null) {
    return (
      <div class="player waiting">
        <p>{isPlayable ? '' : word}</p>
      </div>
    );
  }
  const address = new URL(value.value.address);
  address.searchParams.set('autoplay', 'false');
  return (
    <iframe
      class="player"
      title={`Player: ${video.title}`}
      src={address.href}
      allow="autoplay; encrypted-media; picture-in-picture; fullscreen"
    />
  );
}

function TitleForm({ path, title, onSaved }: { path: string; title: string; onSaved: () => void }) {
  const text = useSignal(title);
  const error = useSignal<string | null>(null);
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await api('POST', path, { title: text.value });
      error.value = null;
      onSaved();
    } catch (reason) {
      error.value = describeError(reason);
    }
  };
  if (!mayWrite()) return <h1>{title}</h1>;
  return (
    <form class="title" onSubmit={save}>
      <input
        aria-label="Title"
        value={text.value}
        required
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {text.value !== title && (
        <button type="submit" class="primary">
          Save
        </button>
      )}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </form>
  );
}

function Messages({ video }: { video: VideoModel }) {
  const bad = (video.transcodingMessages ?? []).filter(({ level }) => level >= 2).slice(-3);
  return (
    <>
      {bad.map(({ message, timeStamp }) => (
        <Notice key={timeStamp} kind="error">
          {message}
        </Notice>
      ))}
    </>
  );
}

function Share({ libraryId, videoId, title }: Place & { title: string }) {
  const address = `${session.value?.edgeUrl ?? ''}/embed/${libraryId}/${videoId}`;
  const code = `<iframe src="${address}" title="${escapeHtml(title)}" loading="lazy" style="border:0;width:100%;aspect-ratio:16/9" allow="autoplay; encrypted-media; picture-in-picture; fullscreen" allowfullscreen></iframe>`;
  return (
    <section class="panel">
      <h2>Share</h2>
      <CopyField label="Embed code" text={code} />
      <CopyField label="Link" text={address} />
      <CopyField label="Video ID" text={videoId} />
    </section>
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function Made({ video }: { video: VideoModel }) {
  const rungs = video.availableResolutions.split(',').filter((rung) => rung !== '');
  return (
    <section class="panel">
      <h2>Renditions</h2>
      {rungs.length === 0 ? (
        <p class="hint">None yet: they appear here as they are encoded.</p>
      ) : (
        <ul class="tags">
          {rungs.map((rung) => (
            <li key={rung}>{rung}</li>
          ))}
        </ul>
      )}
      <dl>
        <dt>Codecs</dt>
        <dd>{video.outputCodecs}</dd>
        <dt>Source</dt>
        <dd>
          {video.width} × {video.height}, {video.framerate.toFixed(2)} fps
        </dd>
        <dt>MP4 files</dt>
        <dd>{video.hasMP4Fallback ? 'Yes' : 'No'}</dd>
      </dl>
    </section>
  );
}

function Captions({ path, video, onChanged }: { path: string; video: VideoModel; onChanged: () => void }) {
  const error = useSignal<string | null>(null);
  const act = async (action: () => Promise<unknown>) => {
    try {
      await action();
      error.value = null;
      onChanged();
    } catch (reason) {
      error.value = describeError(reason);
    }
  };
  return (
    <section class="panel">
      <h2>Captions</h2>
      {video.captions.length === 0 && <p class="hint">None yet. Add a VTT or SRT file for each language.</p>}
      <ul class="rows">
        {video.captions.map(({ srclang, label }) => (
          <li key={srclang}>
            <span>
              {label} <span class="hint">{srclang}</span>
            </span>
            {mayWrite() && (
              <button
                type="button"
                class="quiet"
                onClick={() => act(() => api('DELETE', `${path}/captions/${srclang}`))}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayWrite() && (
        <AddCaption onAdd={(srclang, body) => act(() => api('POST', `${path}/captions/${srclang}`, body))} />
      )}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </section>
  );
}

function AddCaption({ onAdd }: { onAdd: (srclang: string, body: object) => Promise<void> }) {
  const language = useSignal('en');
  const add = async (file: File | undefined) => {
    if (file === undefined) return;
    const binary = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('');
    const label = new Intl.DisplayNames(undefined, { type: 'language' }).of(language.value) ?? language.value;
    await onAdd(language.value, { srclang: language.value, label, captionsFile: btoa(binary) });
  };
  return (
    <div class="row">
      <input
        class="short"
        aria-label="Language code"
        value={language.value}
        onInput={(event) => (language.value = event.currentTarget.value.trim())}
      />
      <label class="button">
        Add file
        <input
          type="file"
          class="unseen"
          accept=".vtt,.srt"
          onChange={(event) => add(event.currentTarget.files?.[0])}
        />
      </label>
    </div>
  );
}

function Danger({ path, libraryId }: { path: string; libraryId: number }) {
  const isAsked = useSignal(false);
  const error = useSignal<string | null>(null);
  const remove = async () => {
    try {
      await api('DELETE', path);
      go({ name: 'videos', libraryId });
    } catch (reason) {
      error.value = describeError(reason);
    }
  };
  return (
    <section class="panel danger">
      <h2>Delete</h2>
      <p class="hint">The video, its files and its statistics go for good.</p>
      {isAsked.value ? (
        <div class="row">
          <button type="button" class="bad" onClick={remove}>
            Delete for good
          </button>
          <button type="button" onClick={() => (isAsked.value = false)}>
            Keep it
          </button>
        </div>
      ) : (
        <button type="button" onClick={() => (isAsked.value = true)}>
          Delete this video…
        </button>
      )}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </section>
  );
}

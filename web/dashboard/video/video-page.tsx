import { useEffect, useRef } from 'preact/hooks';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { follow } from '../base/follow.ts';
import { said, t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { go } from '../base/router.ts';
import { mayWrite } from '../base/session.ts';
import { useShortcuts } from '../base/shortcuts.ts';
import { bytes, clock, day, plural } from '../base/words.ts';
import { Icon } from '../parts/icon.tsx';
import { Link, Notice, Tabs } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { StateChip } from '../videos/card.tsx';
import { Activity } from './activity.tsx';
import { AudioTracks } from './audio-tracks.tsx';
import { Captions } from './captions.tsx';
import { Chapters } from './chapters.tsx';
import { ClipMaker } from './clip-maker.tsx';
import { Details, TitleForm } from './details.tsx';
import { Files } from './files.tsx';
import type { PartProps } from './part-props.ts';
import { Player, usePlayer } from './player-frame.tsx';
import { Share } from './share.tsx';
import { Thumbnails } from './thumbnails.tsx';
import { VideoStatistics } from './video-statistics.tsx';

type Place = { libraryId: number; videoId: string };

const TABS = [
  ['overview', 'Overview'],
  ['share', 'Share'],
  ['captions', 'Captions'],
  ['audio', 'Audio'],
  ['chapters', 'Chapters'],
  ['thumbnail', 'Thumbnail'],
  ['clip', 'Clip'],
  ['statistics', 'Statistics'],
  ['files', 'Files'],
  ['activity', 'Activity'],
] as const;

export function VideoPage({ libraryId, videoId, part }: Place & { part: string }) {
  const path = `/library/${libraryId}/videos/${videoId}`;
  const { value, error, again } = useLoaded<VideoModel>(path);
  const refresh = useRef(again);
  refresh.current = again;
  useEffect(() => follow(libraryId, () => refresh.current(), videoId), [libraryId, videoId]);
  const link = usePlayer();
  const video = value.value;
  if (video === null) {
    return error.value === null ? <div class="player skeleton" /> : <Notice kind="error">{error.value}</Notice>;
  }
  return (
    <article class="video">
      <nav class="trail row spread" aria-label={t('Breadcrumb')}>
        <Link to={{ name: 'videos', libraryId }}>{t('Videos')}</Link>
        {mayWrite() && <TrashButton path={path} libraryId={libraryId} video={video} />}
      </nav>
      <div class={part === 'overview' ? 'video-stage' : 'video-stage beside'}>
        <Player libraryId={libraryId} video={video} link={link} />
        <div class="stack">
          <TitleForm key={video.title} path={path} title={video.title} onSaved={again} />
          <p class="facts">
            <StateChip video={video} />
            <span>{clock(video.length)}</span>
            <span>{plural(video.views, 'view')}</span>
            <span>{bytes(video.storageSize)}</span>
            <span>{day(video.dateUploaded)}</span>
          </p>
          <Messages video={video} />
        </div>
      </div>
      <Tabs label={t('Video sections')} open={part}>
        {TABS.map(([name, label]) => (
          <Link key={name} to={{ name: 'video', libraryId, videoId, part: name }} isHere={name === part} keepsPlace>
            {tr(label)}
          </Link>
        ))}
      </Tabs>
      <Part name={part} libraryId={libraryId} path={path} video={video} link={link} onChanged={again} />
    </article>
  );
}

function Part({ name, ...props }: PartProps & { name: string }) {
  switch (name) {
    case 'share':
      return <Share {...props} />;
    case 'captions':
      return <Captions {...props} />;
    case 'audio':
      return <AudioTracks {...props} />;
    case 'chapters':
      return <Chapters {...props} />;
    case 'thumbnail':
      return <Thumbnails {...props} />;
    case 'clip':
      return <ClipMaker {...props} />;
    case 'statistics':
      return <VideoStatistics libraryId={props.libraryId} videoId={props.video.guid} lengthSec={props.video.length} />;
    case 'files':
      return <Files {...props} />;
    case 'activity':
      return <Activity {...props} />;
    default:
      return <Details {...props} />;
  }
}

/** Moves to the trash without confirmation. The message that follows can undo it. */
function TrashButton({ path, libraryId, video }: { path: string; libraryId: number; video: VideoModel }) {
  const removing = useAction();
  const remove = () =>
    removing.run(async () => {
      await api('DELETE', `${path}?trash=true`);
      go({ name: 'videos', libraryId });
      toast(t('“{0}” moved to the trash.', video.title), {
        label: t('Undo'),
        run: () => {
          api('POST', `/library/${libraryId}/trash/${video.guid}/restore`).then(
            () => go({ name: 'video', libraryId, videoId: video.guid }),
            () => toast(t('The video could not be restored and is still in the trash.')),
          );
        },
      });
    });
  useShortcuts({ Delete: () => void remove() });
  return (
    <>
      <button type="button" class="quiet" disabled={removing.isBusy.value} onClick={remove}>
        <Icon name="trash" /> {t('Move to trash')}
      </button>
      {removing.error.value !== null && <Notice kind="error">{removing.error.value}</Notice>}
    </>
  );
}

function Messages({ video }: { video: VideoModel }) {
  const bad = (video.transcodingMessages ?? []).filter(({ level }) => level >= 2).slice(-3);
  return (
    <>
      {bad.map(({ message, timeStamp }) => (
        <Notice key={timeStamp} kind="error">
          {said(message ?? '')}
        </Notice>
      ))}
    </>
  );
}

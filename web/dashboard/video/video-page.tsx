import { useEffect, useRef } from 'preact/hooks';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { follow } from '../base/follow.ts';
import { t, tr } from '../base/language.ts';
import { lazy } from '../base/lazy.tsx';
import { useLoaded } from '../base/load.ts';
import { replacePath } from '../base/router.ts';
import { may, mayWrite } from '../base/session.ts';
import { clock, day, isShareable, plural } from '../base/words.ts';
import { NoPermission } from '../parts/no-permission.tsx';
import { Link, Notice, Tabs } from '../parts/parts.tsx';
import { VisibilityBadge } from '../parts/visibility.tsx';
import { StateChip } from '../uploads/state.tsx';
import { Activity } from './activity.tsx';
import { AudioTracks } from './audio-tracks.tsx';
import { Details, useDetails } from './details.tsx';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import type { PartProps } from './part-props.ts';
import { Player, usePlayer } from './player-frame.tsx';
import { Review } from './review.tsx';
import { Share } from './share.tsx';
import { StateBanner } from './state-banner.tsx';
import { Thumbnails } from './thumbnails.tsx';
import { TrashButton } from './trash-button.tsx';
import { VideoStatistics } from './video-statistics.tsx';

// The editors with a timeline are only loaded when they are opened.
const Captions = lazy(async () => (await import('./captions.tsx')).Captions);
const Chapters = lazy(async () => (await import('./chapters.tsx')).Chapters);
const ClipMaker = lazy(async () => (await import('./clip-maker.tsx')).ClipMaker);

type VideoIds = { libraryId: number; videoId: string };

/** Tabs of the page, with the position of the player in each: above the form, next to it, above a timeline, or none. */
const TABS = [
  ['overview', 'Overview', 'above'],
  ['review', 'Review', 'side'],
  ['share', 'Share', 'none'],
  ['captions', 'Captions', 'edit'],
  ['audio', 'Audio', 'side'],
  ['chapters', 'Chapters', 'edit'],
  ['thumbnail', 'Thumbnail', 'none'],
  ['clip', 'Clip', 'edit'],
  ['statistics', 'Statistics', 'none'],
  ['files', 'Files', 'none'],
  ['activity', 'Activity', 'none'],
] as const;

type Tab = (typeof TABS)[number][0];

/** Tabs that are useless for a video that failed. A tab that a link opens stays visible. */
const NEEDS_VIDEO: ReadonlySet<string> = new Set(['share', 'clip']);

/** Returns whether a tab is useful for a video and the role of this session. */
function isUseful(tab: Tab, video: VideoModel, libraryId: number): boolean {
  if (tab === 'clip' && !mayWrite()) return false;
  if (tab === 'statistics' && !may('statistics.read', libraryId)) return false;
  return isShareable(video) || !NEEDS_VIDEO.has(tab);
}

export function VideoPage({ libraryId, videoId, part }: VideoIds & { part: string }) {
  const path = `/library/${libraryId}/videos/${videoId}`;
  const { value, error, again } = useLoaded<VideoModel>(path);
  const refresh = useRef(again);
  refresh.current = again;
  useEffect(() => follow(libraryId, () => refresh.current(), videoId), [libraryId, videoId]);
  const link = usePlayer();
  const isKnown = TABS.some(([tab]) => tab === part);
  // An unknown tab shows the first one, so the URL becomes that of the page.
  useEffect(() => {
    if (!isKnown) replacePath({ name: 'video', libraryId, videoId });
  }, [isKnown, libraryId, videoId]);
  const video = value.value;
  if (video === null) {
    return error.value === null ? <div class="player skeleton" /> : <Notice kind="error">{error.value}</Notice>;
  }
  const [name, , playerAt] = TABS.find(([known]) => known === part) ?? TABS[0];
  const props = { libraryId, path, video, link, onChanged: again };
  return (
    <article class="video">
      <nav class="trail row spread" aria-label={t('Breadcrumb')}>
        <Link to={{ name: 'videos', libraryId }}>{t('Videos')}</Link>
        {mayWrite() && <TrashButton path={path} libraryId={libraryId} video={video} />}
      </nav>
      <Header video={video} />
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {name !== 'activity' && <StateBanner {...props} />}
      <Tabs label={t('Video sections')} open={name}>
        {TABS.filter(([tab]) => tab === name || isUseful(tab, video, libraryId)).map(([tab, label]) => (
          <Link key={tab} to={{ name: 'video', libraryId, videoId, part: tab }} isHere={tab === name} keepsScroll>
            {tr(label)}
          </Link>
        ))}
      </Tabs>
      <div class={`video-stage player-${playerAt}`}>
        {playerAt !== 'none' && (
          <div class="stage-player">
            <Player libraryId={libraryId} video={video} link={link} />
          </div>
        )}
        <Part name={name} {...props} />
      </div>
    </article>
  );
}

function Header({ video }: { video: VideoModel }) {
  return (
    <header class="video-header">
      <h1 dir="auto">{video.title}</h1>
      <p class="facts">
        <StateChip video={video} />
        <VisibilityBadge visibility={video.visibility} />
        {video.length > 0 && <span>{clock(video.length)}</span>}
        <span>{plural(video.views, 'view')}</span>
        <span>{day(video.dateUploaded)}</span>
      </p>
    </header>
  );
}

function Part({ name, ...props }: PartProps & { name: Tab }) {
  switch (name) {
    case 'overview':
      return <Overview {...props} />;
    case 'review':
      return <Review {...props} />;
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
      if (!mayWrite()) return <NoPermission />;
      return <ClipMaker {...props} />;
    case 'statistics':
      if (!may('statistics.read', props.libraryId)) return <NoPermission />;
      return <VideoStatistics libraryId={props.libraryId} videoId={props.video.guid} lengthSec={props.video.length} />;
    case 'files':
      return <Files {...props} />;
    case 'activity':
      return <Activity {...props} />;
  }
}

function Overview(props: PartProps) {
  const draft = useDetails(props);
  return (
    <>
      <Details {...props} draft={draft} />
      <Facts {...props} draft={draft} />
    </>
  );
}

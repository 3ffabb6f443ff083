import type { FieldTexts } from './field-texts.ts';

/** Descriptions of the fields of share pages. */
export const SHARE_FIELD_TEXTS: FieldTexts = {
  ShareModel: {
    guid: 'GUID of the share.',
    url: 'Link of the page. Everybody who has it can open the page.',
    access:
      '`link`: the link is enough. `password`: viewers must also enter the password. `email`: viewers must also ' +
      'prove an e-mail address of `emailDomains`. With a password and domains, `password`.',
    emailDomains:
      'Domains of the e-mail addresses of viewers, at most 20. Viewers enter a code that is sent to their address. ' +
      '`*.example.com` stands for all subdomains. Empty or null: no address is needed. Needs a mail server.',
    password: 'Password of 8 to 200 characters; null for none. Only its hash is stored.',
    allowDownload: 'Whether the page offers an MP4 file, if the library has MP4 files. Default false.',
    allowComments: 'Whether viewers can read and write comments on the page. Only for a video. Default false.',
    dateExpires: 'Time after which the page shows nothing; null for never.',
    createdBy: 'E-mail address of the person, or name of the key, that created the share.',
    dateCreated: 'Time of creation.',
  },
  ShareList: { items: 'All share pages of the video or collection.' },
  VideoOrderModel: {
    order:
      '`oldest` or `newest` first, by `title`, or `manual`. In a manual order, videos that are not arranged follow, ' +
      'oldest first.',
    videos: 'The first 500 videos in this order.',
  },
  UpdateVideoOrderModel: {
    order:
      '`oldest` or `newest` first, by `title`, or `manual`. In a manual order, videos that are not arranged follow, ' +
      'oldest first.',
    videoIds: 'GUIDs of the first videos of a manual order. If absent, the earlier arrangement stays.',
  },
  OrderedVideoModel: { guid: 'GUID of the video.', title: 'Title of the video.' },
};

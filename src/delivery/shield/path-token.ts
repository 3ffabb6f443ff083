/**
 * The path token stands before the media's folder: `/bcdn_token=…&expires=…&token_path=…/{mediaId}/…`, so
 * that relative addresses in playlists carry it along. This is the place where tokens are judged; pull
 * zones do not ask for them yet, and a token that is not asked for is taken off and not looked at.
 */
export function isPathToken(segment: string | undefined): segment is string {
  return segment?.startsWith('bcdn_token=') === true;
}

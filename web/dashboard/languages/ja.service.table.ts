/**
 * The service's messages about videos, in Japanese: its English sentence with `{0}`, `{1}` … for values, which are
 * translated too. Messages without an entry are shown in English.
 */
export const service = {
  'This link was used before or has expired. Sign in with your password or a key.':
    'このリンクは使用済みか期限切れです。パスワードまたはキーでログインしてください。',
  'You are not signed in. Sign in first.': 'ログインしていません。先にログインしてください。',
  'E-mail address, password or code is wrong.': 'メールアドレス、パスワード、またはコードが正しくありません。',
  'This invitation was used before or has expired. Ask for a new one.':
    'この招待は使用済みか期限切れです。新しい招待を依頼してください。',
  'Too many failed sign-ins. Try again in 15 minutes, or sign in with a key.':
    'ログインの失敗回数が多すぎます。15 分後にもう一度試すか、キーでログインしてください。',
  'This passkey cannot sign in here. Use another one, or sign in with your password.':
    'このパスキーではログインできません。別のパスキーを使うか、パスワードでログインしてください。',
  'This passkey cannot be verified. Start again.': 'このパスキーを検証できません。最初からやり直してください。',
  'This attempt has expired or was used before. Start again.':
    'この操作は期限切れか使用済みです。最初からやり直してください。',
  'You signed in more than 10 minutes ago. Sign out, sign in, and try again.':
    'ログインから 10 分以上経過しています。ログアウトしてログインし直してから、もう一度お試しください。',
  'This passkey is already in use.': 'このパスキーはすでに使用されています。',
  'The current password is wrong.': '現在のパスワードが正しくありません。',
  'Too many wrong passwords. Try again in 15 minutes.':
    'パスワードを間違えた回数が多すぎます。15 分後にもう一度お試しください。',
  'This code is wrong. Check the clock of your device and try again.':
    'コードが正しくありません。デバイスの時計を確認して、もう一度お試しください。',
  'This password is too easy to guess. Choose several words, or use a password manager.':
    'このパスワードは簡単に推測されます。複数の単語を組み合わせるか、パスワードマネージャーを使ってください。',
  'A person with this e-mail address already exists.': 'このメールアドレスのメンバーはすでに存在します。',
  'This is the last active owner of the account. Make another person an owner first.':
    'このアカウントで最後の有効なオーナーです。先に別のメンバーをオーナーにしてください。',
  'The sign-in provider {0} cannot be used: {1} Try again later.':
    'ログインプロバイダ {0} を使用できません：{1} 後でもう一度お試しください。',
  'Too many sign-ins from this address. Try again in a minute.':
    'このアドレスからのログインが多すぎます。1 分後にもう一度お試しください。',
  'Only an owner of the account can add, change or remove an owner. Ask one of the owners.':
    'オーナーの追加、変更、削除ができるのは、アカウントのオーナーだけです。オーナーに依頼してください。',
  // Explanations of how a video plays.
  'No file received yet. {0}': 'ファイルをまだ受信していません。{0}',
  'Waiting for its file.': 'ファイルを待っています。',
  'Waiting for its file: the last upload failed. {0}': 'ファイルを待っています：前回のアップロードに失敗しました。{0}',
  'No reason was recorded.': '理由は記録されていません。',
  'The file is empty.': 'ファイルが空です。',
  'The file is not a video or audio file.': '動画ファイルでも音声ファイルでもありません。',
  'More than a tenth of the file is missing.': 'ファイルの 10 分の 1 以上が欠けています。',
  'The file has too many tracks.': 'ファイルのトラックが多すぎます。',
  'The picture of the file is larger than the limit.': 'ファイルの映像サイズが上限を超えています。',
  'The file contains neither video nor audio.': 'ファイルに映像も音声も含まれていません。',
  'The codec of the file is not supported.': 'ファイルのコーデックに対応していません。',
  'The file is longer than the limit.': 'ファイルの長さが上限を超えています。',
  'Reading the file took too long.': 'ファイルの読み取りに時間がかかりすぎました。',
  'Reading the file took too much memory.': 'ファイルの読み取りに必要なメモリが多すぎました。',
  'Its encoding was cancelled. Re-encode the video to finish it.':
    'エンコードはキャンセルされました。完了するには、動画を再エンコードしてください。',
  'Its encoding was cancelled.': 'エンコードはキャンセルされました。',
  'Its encoding was cancelled. The video was not changed.':
    'エンコードはキャンセルされました。動画は変更されていません。',
  'Encoding it again failed, so the video was not changed: {0}':
    '再エンコードに失敗したため、動画は変更されていません：{0}',
  'The new file could not be used, so the video was not changed: {0}':
    '新しいファイルを使用できなかったため、動画は変更されていません：{0}',
  'Probing the file; the encoding time is known after that.':
    'ファイルを解析しています。エンコード時間は解析後にわかります。',
  '{0}; the encoding time is known after that.': '{0}。エンコード時間は解析後にわかります。',
  'Next to be probed': '次に解析されます',
  'Waiting for {0} to be probed': '{0}の解析を待っています',
  '1 other video of this library': 'このライブラリのほかの動画 1 本',
  '{0} other videos of this library': 'このライブラリのほかの動画 {0} 本',
  'Playable. {0}': '再生できます。{0}',
  '{0}, sharing encoders with {1}; done in about {2}.': '{0}（{1}とエンコーダを共有中）。あと約 {2} で完了します。',
  '{0}; done in about {1}.': '{0}。あと約 {1} で完了します。',
  '1 other library': 'ほかの 1 個のライブラリ',
  '{0} other libraries': 'ほかの {0} 個のライブラリ',
  'Being encoded': 'エンコード中です',
  'Its images are being finished': '画像を仕上げています',
  'Next in the queue': 'キューの先頭で待機しています',
  'Waiting while its first viewers use the encoders': '最初の視聴者がエンコーダを使用しているため、待機しています',
  'Waiting for {0}': '{0}の完了を待っています',
  'Almost done.': 'まもなく完了します。',
  'Playable; encoded on demand.': '再生できます。オンデマンドでエンコードされます。',
  '1 failure': '1 回の失敗',
  '{0} failures': '{0} 回の失敗',
  'Retried after {0}: {1}': '{0}の後に再試行します：{1}',
  'All planned files are stored and listed.': '予定されたすべてのファイルが保存され、一覧に登録されています。',
  'The audio could not be encoded.': '音声をエンコードできませんでした。',
  'The audio ({0}) could not be encoded.': '音声（{0}）をエンコードできませんでした。',
  'The {0} rendition could not be encoded.': '{0} のレンディションをエンコードできませんでした。',
  '{0} is tried again after {1} failed attempts: {2}.': '{0} は {1} 回失敗したため、再試行します：{2}。',
  'No rendition has its first segment yet, so players get no playlist.':
    'どのレンディションにも最初のセグメントがまだないため、プレーヤーはプレイリストを取得できません。',
  'Players are offered {0}.': 'プレーヤーで利用できるもの：{0}。',
  'Its stored files were read and compared with their hashes in the scrub that began on {0} (UTC).':
    '保存されたファイルは、{0}（UTC）に始まったデータ検査で読み取られ、ハッシュと照合されました。',
  'The scrub that began on {0} (UTC) has not reached it yet.':
    '{0}（UTC）に始まったデータ検査は、まだこの動画に達していません。',
  'The library requires signed URLs. An embed without a token is blocked.':
    'ライブラリで署名付き URL が必須になっています。トークンのない埋め込みはブロックされます。',
  'Only pages of {0} may embed it. All others are blocked.':
    '埋め込めるのは {0} のページだけです。ほかはすべてブロックされます。',
  'Pages that send no referrer (Referrer-Policy: no-referrer, some apps) are blocked.':
    'リファラーを送信しないページ（Referrer-Policy: no-referrer、一部のアプリ）はブロックされます。',
  'Viewers in {0} wait {1} s for the first picture (median of {2} sessions).':
    '{0} の視聴者は、最初の映像が表示されるまで {1} 秒待っています（{2} セッションの中央値）。',
  'In {0}, {1} % of {2} views stalled.': '{0} では、{2} セッション中 {1}% で再生が途切れました。',
  'Failures of playback in the last seven days in {0}: {1}.': '過去 7 日間の再生エラー（{0}）: {1} 件。',
  'Expected {0} to have 1 to {1} characters, got {2}. Correct it.':
    '{0} は 1～{1} 文字にしてください（受信：{2} 文字）。',
  'Expected time to be a position in the video, 0 to {0} s, got {1}. Correct it.':
    '動画内の位置は 0～{0} 秒です（受信：{1}）。修正してください。',
  'Comment {0} was written by somebody else. Send a reply instead.':
    'コメント {0} は他の人が書きました。返信してください。',
  'Comment {0} was written by somebody else. Ask an editor.':
    'コメント {0} は他の人が書きました。編集者に依頼してください。',
  'Comment {0} has replies of others, which would be deleted too. Set isResolved instead.':
    'コメント {0} には他の人の返信があり、一緒に削除されます。代わりに解決済みにしてください。',
  'Comment {0} is a reply. Set isResolved of comment {1} instead.':
    'コメント {0} は返信です。代わりにコメント {1} を解決済みにしてください。',
  'Only its author and editors can resolve or open comment {0}. Ask one of them.':
    'コメント {0} を解決または再開できるのは作成者と編集者だけです。いずれかに依頼してください。',
  'Comment {0} of {1} not found. Check the ids.': 'コメント {0}（{1}）が見つかりません。削除された可能性があります。',
  'Comment {0} not found. It may have been deleted.': 'コメント {0} が見つかりません。削除された可能性があります。',
  'Comment {0} is a reply. Send the parentId {1} instead.':
    'コメント {0} は返信です。代わりにコメント {1} に返信してください。',
  'The video already has {0} comments. Delete some that are not needed.':
    '動画にはすでに {0} 件のコメントがあります。不要なものを削除してください。',
  'an unknown country': '不明な国',
  // Messages about the encoding of a video.
  'The video is incomplete: {0} could not be created. Retry the failed parts.':
    '動画は不完全です：{0} を作成できませんでした。失敗した部分を再試行してください。',
  '{0} could not be created: {1}': '{0} を作成できませんでした：{1}',
  '{0} of {1} seconds of the audio could not be decoded and are silent.':
    '音声 {1} 秒のうち {0} 秒をデコードできず、無音になっています。',
  'The video is encoded as a whole and not on demand: {0}.':
    '動画はオンデマンドではなく、全体がエンコードされます：{0}。',
  'Segment {0} of {1} could not be encoded on demand: {2}':
    '{1} のセグメント {0} をオンデマンドでエンコードできませんでした：{2}',
  '{0} was left out: it would take nearly as many bits as the resolution above it.':
    '{0} は省略されました：1 つ上の解像度とほぼ同じビット数が必要になるためです。',
  'Segments {0} to {1} of {2} were damaged in the store and encoded again from the original.':
    '{2} のセグメント {0}～{1} はストレージ内で破損していたため、元のファイルから再エンコードされました。',
  'The speech could not be transcribed: {0}': '音声を文字起こしできませんでした：{0}',
  'Texts could not be generated: {0}': 'テキストを生成できませんでした：{0}',
  // Why an action was refused.
  'The video has no file yet. Upload it first.': '動画にはまだファイルがありません。先にアップロードしてください。',
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), or set MILLRACE_TRANSCRIBER to the URL of an OpenAI-compatible service.':
    '音声認識エンジンが設定されていません。「millrace speech add NAME」でモデルを追加するか（名前は「millrace speech list」で確認できます）、' +
    'OpenAI 互換サービスの URL を MILLRACE_TRANSCRIBER に設定してください。',
  'A translation needs a language model. Set MILLRACE_LANGUAGE_MODEL_URL.':
    '翻訳には言語モデルが必要です。MILLRACE_LANGUAGE_MODEL_URL を設定してください。',
  'There are no captions to translate.': '翻訳する字幕がありません。',
  'The video has no captions and no audio.': '動画には字幕も音声もありません。',
  'The library has no webhook URL. Set its WebhookUrl first.':
    'ライブラリに Webhook の URL がありません。先に WebhookUrl を設定してください。',
  'The stream has ended and cannot start again. Create another one.':
    'ライブ配信は終了しているため、再開できません。新しいライブ配信を作成してください。',
  'Authentication has been denied for this request.': 'このリクエストの認証は拒否されました。',
  'Too many wrong keys from this address. Try again in a minute, or with a valid key.':
    'このアドレスから送信された誤ったキーが多すぎます。1 分後にもう一度試すか、有効なキーを使ってください。',
  'The service failed to process this request. The log has the reason under the X-Request-Id of this response.':
    'サービスでこのリクエストを処理できませんでした。理由はログに記録されています（このレスポンスの X-Request-Id を参照）。',
  'Cloudflare Stream keeps no originals. Its MP4 download is imported.':
    'Cloudflare Stream は元のファイルを保存しません。代わりに MP4 ダウンロードがインポートされます。',
  'Comments and playlists are not imported. Each channel becomes a collection.':
    'コメントと再生リストはインポートされません。各チャンネルはコレクションになります。',
  'Comments, ratings and playlists are not imported.': 'コメント、評価、再生リストはインポートされません。',
  'Comments, showcases and player presets are not imported. Each folder becomes a collection.':
    'コメント、ショーケース、プレーヤーのプリセットはインポートされません。各フォルダはコレクションになります。',
  'Mux Data keeps views separately, so they are not imported.':
    '視聴回数は Mux Data に別途保存されているため、インポートされません。',
  'Mux has no descriptions, collections or custom thumbnails.':
    'Mux には説明、コレクション、カスタムサムネイルがありません。',
  'Images of the library are not imported.': 'ライブラリの画像はインポートされません。',
  'Access keys and people are not imported. Settings, token key and host names need accountKey.':
    'アクセスキーとユーザーはインポートされません。設定、トークンキー、ホスト名には accountKey が必要です。',
  'Statistics by country and heatmaps are not imported.': '国別の統計とヒートマップはインポートされません。',
  'Statistics by day and heatmaps are not imported.': '日別の統計とヒートマップはインポートされません。',
  'Views are in a separate API and are not imported.': '視聴回数は別の API にあるため、インポートされません。',
  // Refusals of the API.
  'The field {0} must not have more than {1} characters, got {2}.': '{0}：{1} 文字以内にしてください。',
  'The field {0} must not have fewer than {1} characters, got {2}.': '{0}：{1} 文字以上にしてください。',
  'The field {0} must be one of {1}, got {2}.': '{0}：{1}のいずれかにしてください（{2}ではなく）。',
  'Your role does not include the permission {0} here. Ask an owner for it.':
    'あなたのロールには、ここでの権限「{0}」がありません。オーナーに依頼してください。',
  'There is no library {0}. Choose another one.': 'ライブラリ {0} は存在しません。別のものを選択してください。',
  "This key can only read, but {0} writes. Use the library's ApiKey.":
    'このキーは読み取り専用ですが、{0} は書き込みを行います。ライブラリの API キーを使用してください。',
  'You are not signed in as a person. Sign in first.': 'メンバーとしてログインしていません。先にログインしてください。',
  'This person or passkey can no longer sign in. Ask an owner of the account.':
    'このメンバーまたはパスキーではもうログインできません。アカウントのオーナーに問い合わせてください。',
  'Video {0} in the trash of library {1} not found. Check the id.': '動画 {0} はライブラリ {1} のゴミ箱にありません。',
  'Video {0} in library {1} not found. Check the id.':
    '動画 {0} はライブラリ {1} にありません。削除された可能性があります。',
  'Library {0} not found. Check the library roles.':
    'ライブラリ {0} は存在しません。ライブラリのロールを確認してください。',
  'Library {0} not found. Check the id.': 'ライブラリ {0} は存在しません。削除された可能性があります。',
  'Collection {0} in library {1} not found. Check the id.':
    'コレクション {0} はライブラリ {1} にありません。削除された可能性があります。',
  'Person {0} not found. Check the id.': 'メンバー {0} は見つかりません。削除された可能性があります。',
  'Key {0} of library {1} not found. Check both ids.':
    'キー {0} はライブラリ {1} にありません。失効した可能性があります。',
  'Sign-in provider {0} not found. Check the id.':
    'ログインプロバイダ {0} は見つかりません。削除された可能性があります。',
  'Webhook endpoint {0} in library {1} not found. Check the id.':
    'Webhook エンドポイント {0} はライブラリ {1} にありません。削除された可能性があります。',
  'This upload no longer exists.': 'このアップロードはもう存在しません。',
  'This passkey does not exist. Reload the page.': 'このパスキーは存在しません。ページを再読み込みしてください。',
  'The library uses {0} (quota {1}), and {2} more would exceed it. {3}':
    'ライブラリは {0} を使用しており、さらに {2} を加えると上限を超えます。{3}',
  'The library uses {0} (quota {1}). {2}': 'ライブラリが上限に達しました：{0}。{2}',
  '{0} of {1} of storage': 'ストレージ {1} のうち {0}',
  '{0} of {1} encoded minutes this month': '今月のエンコード時間 {1} 分のうち {0} 分',
  '{0} of {1} live streams at the same time': '同時ライブ配信 {1} 件のうち {0} 件',
  '{0} of {1} sent this month': '今月の転送量 {1} のうち {0}',
  'Delete videos and empty the trash, or raise the limit.':
    '動画を削除してゴミ箱を空にするか、上限を引き上げてください。',
  'End another stream, or raise the limit.': '別のライブ配信を終了するか、上限を引き上げてください。',
  'The host name {0} is already registered. Remove it from the other pull zone first.':
    'ホスト名 {0} は登録済みです。先に別のプルゾーンから削除してください。',
  'The video already has captions in {0} languages. Delete one first.':
    'この動画にはすでに {0} 言語の字幕があります。先に 1 つ削除してください。',
  'The video already has {0} audio tracks. Remove one first.':
    'この動画にはすでに {0} 本の音声トラックがあります。先に 1 つ削除してください。',
  'Library {0} already has {1} keys. Revoke one that is not needed.':
    'ライブラリ {0} にはすでに {1} 個のキーがあります。不要なものを失効させてください。',
  'The account already has {0} people. Delete one first.':
    'アカウントにはすでに {0} 人のメンバーがいます。先に 1 人削除してください。',
  'The account already has {0} sign-in providers. Delete one first.':
    'アカウントにはすでに {0} 件のログインプロバイダがあります。先に 1 つ削除してください。',
  'The library already has {0} endpoints. Delete one first.':
    'ライブラリにはすでに {0} 件のエンドポイントがあります。先に 1 つ削除してください。',
  'The list already has {0} host names. Remove one.':
    'リストにはすでに {0} 個のホスト名があります。1 つ削除してください。',
  '{0} already has {1} shares. Delete one that is not needed.':
    '{0} にはすでに {1} 件の共有があります。不要なものを削除してください。',
  'You have {0} passkeys, which is the maximum. Delete one first.':
    'パスキーは上限の {0} 個に達しています。先に 1 つ削除してください。',
  'Person {0} is disabled. Set Status to active first.': 'このメンバーは無効になっています。先に有効にしてください。',
  'Another request still writes to this upload. Try again in a second.':
    '別のリクエストがこのアップロードに書き込み中です。少し待って再試行してください。',
  'Another request took over this upload.': '別のリクエストがこのアップロードを引き継ぎました。',
  'The library already has {0} waiting or running fetches. Try again later.':
    'ライブラリにはすでに {0} 件の取得が待機中または実行中です。後でもう一度お試しください。',
  'Library {0} is already generating texts for {1} videos. Send this again later.':
    'このライブラリではすでに {1} 本の動画のテキストを生成中です。後でもう一度お試しください。',
  '{0} test deliveries of this library are already waiting. Try again later.':
    'このライブラリのテスト配信がすでに {0} 件待機中です。後でもう一度お試しください。',
  'Endpoint {0} is unknown or disabled. Check the id, or enable it.':
    'エンドポイントが不明か、無効になっています。有効にしてください。',
  'The library has no chat webhook. Set its URL first.':
    'ライブラリにチャット Webhook がありません。先に URL を設定してください。',
  'This move cannot be undone. {0}': 'この移動は元に戻せません。{0}',
  'Cannot change {0} after the stream has started. Create another stream.':
    '配信の開始後は {0} を変更できません。別のライブ配信を作成してください。',
  'The stream has ended, so its key is no longer accepted. Create another one.':
    '配信は終了したため、キーは使用できません。別のライブ配信を作成してください。',
  'The stream has ended and needs no key. Create another one.':
    '配信は終了したため、キーは不要です。別のライブ配信を作成してください。',
  'The stream has not started, so it cannot be stopped. Start it first, or delete it with DELETE.':
    '配信は開始されていないため停止できません。先に開始するか、削除してください。',
  'The recording of this stream is being turned into a video. Try again in a few seconds.':
    'この配信の録画を動画に変換しています。数秒後にもう一度お試しください。',
  'Expected a finished video, got {0} ({1}). Wait until it is finished.':
    '動画はまだ完成していません。完成するまでお待ちください。',
  'Expected a video that is not being encoded, got one that is {0}. Try again when it is finished.':
    '動画はエンコード中です。完了後にもう一度お試しください。',
  'The encoding of video {0} cannot be cancelled: it {1}. Check the video.':
    'エンコードを中止できません。実行中のエンコードがありません。',
  'The original file of video {0} is missing. Upload it to a new video.':
    '動画の元ファイルがありません。新しい動画としてアップロードしてください。',
  'The audio tracks of video {0} cannot be changed now: it is waiting to be encoded. Try again later.':
    '動画がエンコード待ちのため、音声トラックを変更できません。後でもう一度お試しください。',
  'Expected a title that no other audio track of the video has, got {0}. Choose another.':
    '別の音声トラックがすでに {0} という名前です。別のタイトルにしてください。',
  'The body is not valid: {0} Nothing was done. Correct the fields.':
    '入力内容が正しくありません：{0} 何も変更されていません。',
  'Expected a title, got an empty string. Send a title.': 'タイトルが空です。入力してください。',
  'Expected a Name of at least 1 character, got none. Send a name.': '名前が空です。入力してください。',
  'Expected a password of {0} to {1} characters, got {2}.':
    'パスワードは {0}～{1} 文字にしてください（現在 {2} 文字）。',
  'Expected an e-mail address, got "{0}". Correct it.': '「{0}」はメールアドレスではありません。修正してください。',
  'Expected url to be an http or https URL, got {0}. Correct it.':
    '{0} は http または https の URL ではありません。修正してください。',
  'Expected a URL such as https://example.com/video.mp4, got {0}.':
    '{0} は https://example.com/video.mp4 のような URL ではありません。',
  'Expected a default role other than owner, because everybody would get it.':
    '全員に付与されるため、デフォルトのロールをオーナーにはできません。',
  'Expected a domain such as example.com, got {0}.': '{0} は example.com のようなドメインではありません。',
  'Expected another audio track of video {0} to remain, but none would. {1}':
    '動画には少なくとも 1 本の音声トラックを残す必要があります。{1}',
  'The host {0} is not allowed: its address is {1}.': 'ホスト {0} は許可されていません。アドレス：{1}',
  'The host name {0} has no address.': 'ホスト名 {0} にはアドレスがありません。',
  'The server could not be reached: {0}.': 'サーバーに接続できません：{0}',
  'The origin sent an empty file. Check the URL.': 'URL から空のファイルが返されました。URL を確認してください。',
  'The origin sent {0}, which cannot be fetched: {1}.': 'URL からメディアファイルが返されませんでした（{0}）。',
  'The file is an HTML page; {0}': 'このファイルは HTML ページで、動画や音声ではありません。',
  'Expected an image of at most 8192 x 4320 pixels that can be decoded, but {0}. Send another file.':
    '画像を読み込めないか、8192×4320 ピクセルを超えています。別のファイルを使用してください。',
  'Expected a JPEG, PNG, WebP or AVIF image, got {0} bytes that begin with {1}. {2}':
    'このファイルは JPEG、PNG、WebP、AVIF のいずれの画像でもありません。',
  'Too many images are being processed. Send this image again in a few seconds.':
    '処理中の画像が多すぎます。数秒後にもう一度お試しください。',
  'Too many people are signing in at the moment. Try again in a few seconds.':
    '現在ログインが集中しています。数秒後にもう一度お試しください。',
  'The search took too long. Search a shorter window, or filter by ruleId.':
    '検索に時間がかかりすぎました。期間を短くするか、ルールで絞り込んでください。',
  'The {0} cannot be reached. As far as is known, this request changed nothing. Try again in {1} s.':
    'サービスの一部に接続できません（{0}）。何も変更されていません。{1} 秒後にもう一度お試しください。',
  'The storage is full. Free some space and send the bytes again.':
    'ストレージがいっぱいです。空きを作ってからもう一度お試しください。',
  'Expected {0} bytes to remain free after an upload of {1} bytes, but only {2} are free now. {3}':
    'サーバーの空き容量が足りません。空きを作るか、小さいファイルをアップロードしてください。',
  'Line {0}: expected times such as {1}, found "{2}".': '{0} 行目：「{2}」は {1} のような時刻ではありません。',
  'Line {0}: expected a cue to end after it starts.': '{0} 行目：字幕が開始前に終了しています。',
  'Line {0}: expected a cue with a line "start --> end", found "{1}".':
    '{0} 行目：「開始 --> 終了」の行がありません（「{1}」）。',
  'The video frames contain captions (CEA-608 or CEA-708) that players cannot show. Extract them, for example with CCExtractor, and add them as a SubRip or WebVTT file.':
    '映像のフレームに、プレーヤーでは表示できない字幕（CEA-608 または CEA-708）が含まれています。CCExtractor などで取り出し、SubRip または WebVTT ファイルとして追加してください。',
  'The subtitles of stream {0} ({1}) are left out: they are images or in an unknown format. Add them as a SubRip or WebVTT file.':
    'ストリーム {0}（{1}）の字幕は、画像または不明な形式のため除外されました。SubRip または WebVTT ファイルとして追加してください。',
  'The audio of stream {0} ({1}) is left out: it cannot be decoded. Convert it to FLAC.':
    'ストリーム {0}（{1}）の音声は、デコードできないため除外されました。FLAC に変換してください。',
  'The sound stopped: the encoder sends video but no audio, so viewers hear silence. Check its microphone or audio source.':
    '音声が止まりました。エンコーダーは映像のみを送信しており、視聴者には音が聞こえません。マイクまたは音声ソースを確認してください。',
  'The encoder is connected, but sends no audio or video that can be used. Check its sources and its codecs.':
    'エンコーダーは接続されていますが、使用できる音声も映像も送信していません。ソースとコーデックを確認してください。',
  'The picture waits for a keyframe: expected one every 2 s, got none since the encoder connected. Set the keyframe interval of the encoder to 2 s.':
    '映像はキーフレームを待っています。エンコーダーの接続後、まだ届いていません。エンコーダーのキーフレーム間隔を 2 秒に設定してください。',
  'Of {0} audio tracks, only the first {1} are offered.': '音声トラック {0} 本のうち、最初の {1} 本のみを提供します。',
  'Of {0} subtitle tracks, only the first {1} are offered.':
    '字幕トラック {0} 本のうち、最初の {1} 本のみを提供します。',
  'Captions "{0}": {1}': '字幕「{0}」：{1}',
} as const;

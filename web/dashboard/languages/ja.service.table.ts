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
    '{0} は 1～{1} 文字にしてください（受信: {2} 文字）。',
  'Expected time to be a position in the video, 0 to {0} s, got {1}. Correct it.':
    '動画内の位置は 0～{0} 秒です（受信: {1}）。修正してください。',
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
} as const;

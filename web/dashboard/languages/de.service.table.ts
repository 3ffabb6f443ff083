/**
 * The service's messages about videos, in German: each English sentence with `{0}`, `{1}` … for values, which are
 * translated too. Messages without an entry are shown in English.
 */
export const service = {
  // Reasons why a video plays as it does.
  'No file has arrived yet. {0}': 'Es ist noch keine Datei angekommen. {0}',
  'Awaits its file.': 'Wartet auf seine Datei.',
  'Awaits its file: the last upload failed. {0}': 'Wartet auf seine Datei: Der letzte Upload schlug fehl. {0}',
  'No reason was noted.': 'Ein Grund wurde nicht vermerkt.',
  'Failed: {0}': 'Fehlgeschlagen: {0}',
  'Its encoding was cancelled. Re-encode the video to finish it.':
    'Seine Kodierung wurde abgebrochen. Neu kodieren erzeugt es.',
  'Its encoding was cancelled.': 'Seine Kodierung wurde abgebrochen.',
  'Its encoding was cancelled, the video stays as it was.':
    'Seine Kodierung wurde abgebrochen, das Video bleibt, wie es war.',
  'Its file is being probed; the encoding time is known after that.':
    'Seine Datei wird gerade gelesen; wie lange das Kodieren dauert, steht gleich danach fest.',
  '{0}; the encoding time is known after that.': '{0}; wie lange das Kodieren dauert, steht dann fest.',
  'Is next to be probed': 'Wird als nächstes gelesen',
  'Waits for {0} to be probed': 'Wartet, bis {0} gelesen sind',
  '1 other of this library': '1 anderes dieser Bibliothek',
  '{0} others of this library': '{0} andere dieser Bibliothek',
  'Plays. {0}': 'Ist abspielbar. {0}',
  '{0}, beside {1}; done in about {2}.': '{0}, neben {1}; fertig in etwa {2}.',
  '{0}; done in about {1}.': '{0}; fertig in etwa {1}.',
  '1 other library': '1 anderen Bibliothek',
  '{0} other libraries': '{0} anderen Bibliotheken',
  'Is being encoded': 'Wird kodiert',
  'Is next': 'Ist als nächstes dran',
  'Leaves the encoders to its first viewers': 'Überlässt die Encoder seinen ersten Zuschauern',
  'Waits for {0}': 'Wartet auf {0}',
  'Is almost done.': 'Ist fast fertig.',
  'Plays; it is encoded on demand.': 'Ist abspielbar; wird kodiert, wenn es angefragt wird.',
  'Everything that was planned is stored and listed.': 'Alles, was geplant war, ist gespeichert und gelistet.',
  'The audio could not be encoded.': 'Der Ton konnte nicht kodiert werden.',
  'The audio ({0}) could not be encoded.': 'Der Ton ({0}) konnte nicht kodiert werden.',
  'The {0} rendition could not be encoded.': 'Die Fassung {0} konnte nicht kodiert werden.',
  '{0} is tried again after {1} failed attempts: {2}.':
    '{0} wird nach {1} fehlgeschlagenen Versuchen noch einmal versucht: {2}.',
  'No rendition has its first segment yet: players get no playlist.':
    'Noch hat keine Fassung ihr erstes Segment: Player bekommen keine Playlist.',
  'Players are offered {0}.': 'Playern wird angeboten: {0}.',
  'Its stored files were read and compared with their hashes in the scrub that began on {0} (UTC).':
    'Was davon gespeichert ist, wurde in der Prüfung seit {0} (UTC) gelesen und mit seinen Hashes verglichen.',
  'The scrub that began on {0} (UTC) has not reached it yet.':
    'Die Prüfung, die am {0} (UTC) begann, kam noch nicht dorthin.',
  'The library plays with a signed address only: an embed without a token is refused.':
    'Die Bibliothek spielt nur mit signierter Adresse ab: Eine Einbettung ohne Token wird abgelehnt.',
  'Only pages of {0} may embed it; all others are refused.':
    'Nur Seiten von {0} dürfen es einbetten; alle anderen werden abgelehnt.',
  'Pages that send no referrer (Referrer-Policy: no-referrer, some apps) are refused.':
    'Seiten, die keinen Referrer senden (Referrer-Policy: no-referrer, manche Apps), werden abgelehnt.',
  'Viewers in {0} wait {1} s for the first picture (median of {2} sessions).':
    'Zuschauer in {0} warten {1} s auf das erste Bild (Median von {2} Besuchen).',
  'In {0} {1} % of {2} sessions stalled.': 'In {0} stockten {1} % von {2} Besuchen.',
  'In {0} playback failed {1} times in the last seven days.':
    'In {0} schlug die Wiedergabe in den letzten sieben Tagen {1}-mal fehl.',
  'an unknown country': 'einem unbekannten Land',
  // Events while the video was encoded.
  'The video is finished, incomplete: {0} could not be made. Retry makes them again.':
    'Das Video ist fertig, aber unvollständig: {0} konnte nicht erzeugt werden. Wiederholen erzeugt es neu.',
  '{0} could not be made: {1}': '{0} konnte nicht erzeugt werden: {1}',
  '{0} of {1} seconds of the sound could not be decoded and are silent.':
    '{0} von {1} Sekunden des Tons konnten nicht dekodiert werden und sind stumm.',
  'The video is encoded as a whole and not on demand: {0}.':
    'Das Video wird als Ganzes kodiert und nicht auf Anfrage: {0}.',
  'Texts could not be generated: {0}': 'Texte konnten nicht erzeugt werden: {0}',
  // Reasons why an action was refused.
  'The video has no file yet. Upload it first.': 'Das Video hat noch keine Datei. Zuerst eine hochladen.',
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), or set MILLRACE_TRANSCRIBER to the address of an OpenAI-compatible service.':
    'Keine Spracherkennung ist eingerichtet. Ein Modell mit „millrace speech add NAME“ hinzufügen („millrace ' +
    'speech list“ nennt die Namen) oder MILLRACE_TRANSCRIBER auf die Adresse eines OpenAI-kompatiblen Dienstes ' +
    'setzen.',
  'A translation needs a language model. Set MILLRACE_LANGUAGE_MODEL_URL.':
    'Eine Übersetzung braucht ein Sprachmodell. MILLRACE_LANGUAGE_MODEL_URL setzen.',
  'There are no captions to translate.': 'Es gibt keine Untertitel zum Übersetzen.',
  'The video has no captions and no audio.': 'Das Video hat weder Untertitel noch Ton.',
  'The library has no webhook address. Set its WebhookUrl first.':
    'Die Bibliothek hat keine Webhook-Adresse. Zuerst eine eintragen.',
  'The stream has ended and cannot start again. Create another one.':
    'Der Stream ist beendet und kann nicht wieder beginnen. Einen neuen anlegen.',
  'You are not signed in. Sign in with a key.': 'Niemand ist angemeldet. Mit einem Schlüssel anmelden.',
  'Authentication has been denied for this request.': 'Der Schlüssel wurde nicht angenommen.',
  'Too many wrong keys from this address. Try again in a minute.':
    'Zu viele falsche Schlüssel kamen von dieser Adresse. In einer Minute noch einmal versuchen.',
  'The service failed to answer this request. The log has the reason under the X-Request-Id of this answer.':
    'Der Dienst konnte diese Anfrage nicht beantworten. Der Grund steht im Log unter der Id der Anfrage.',
} as const;

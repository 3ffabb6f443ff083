/**
 * The service's messages about videos, in German: its English sentence with `{0}`, `{1}` … for values, which are
 * translated too. Messages without an entry are shown in English.
 */
export const service = {
  'This link was used before or has expired. Sign in with your password or a key.':
    'Dieser Link wurde schon benutzt oder ist abgelaufen. Melde dich mit deinem Passwort oder einem Schlüssel an.',
  'You are not signed in. Sign in first.': 'Du bist nicht angemeldet. Melde dich zuerst an.',
  'E-mail address, password or code is wrong.': 'E-Mail-Adresse, Passwort oder Code ist falsch.',
  'This invitation was used before or has expired. Ask for a new one.':
    'Diese Einladung wurde schon benutzt oder ist abgelaufen. Bitte um eine neue.',
  'Too many failed sign-ins. Try again in 15 minutes, or sign in with a key.':
    'Zu viele fehlgeschlagene Anmeldungen. Versuche es in 15 Minuten noch einmal, oder nimm einen Schlüssel.',
  'This passkey cannot sign in here. Use another one, or sign in with your password.':
    'Mit diesem Passkey kann man sich hier nicht anmelden. Nimm einen anderen, oder melde dich mit dem Passwort an.',
  'This passkey cannot be verified. Start again.': 'Dieser Passkey lässt sich nicht prüfen. Fang noch einmal an.',
  'This attempt has expired or was used before. Start again.':
    'Dieser Versuch ist abgelaufen oder wurde schon benutzt. Fang noch einmal an.',
  'You signed in more than 10 minutes ago. Sign out, sign in, and try again.':
    'Deine Anmeldung ist mehr als 10 Minuten her. Melde dich ab und wieder an, und versuche es noch einmal.',
  'This passkey is already in use.': 'Dieser Passkey wird schon benutzt.',
  'The current password is wrong.': 'Das aktuelle Passwort ist falsch.',
  'Too many wrong passwords. Try again in 15 minutes.':
    'Zu viele falsche Passwörter. Versuche es in 15 Minuten noch einmal.',
  'This code is wrong. Check the clock of your device and try again.':
    'Dieser Code ist falsch. Prüfe die Uhr deines Geräts und versuche es noch einmal.',
  'This password is too easy to guess. Choose several words, or use a password manager.':
    'Dieses Passwort ist zu leicht zu erraten. Wähle mehrere Wörter, oder benutze einen Passwortmanager.',
  'A person with this e-mail address already exists.': 'Es gibt schon eine Person mit dieser E-Mail-Adresse.',
  'This is the last active owner of the account. Make another person an owner first.':
    'Das ist der letzte aktive Inhaber des Kontos. Mache erst eine andere Person zum Inhaber.',
  'The sign-in provider {0} cannot be used: {1} Try again later.':
    'Der Anmelde-Anbieter {0} ist nicht nutzbar: {1} Versuche es später noch einmal.',
  'Too many sign-ins from this address. Try again in a minute.':
    'Zu viele Anmeldungen von dieser Adresse. Versuche es in einer Minute noch einmal.',
  'Only an owner of the account can add, change or remove an owner. Ask one of the owners.':
    'Nur ein Inhaber des Kontos darf Inhaber hinzufügen, ändern oder entfernen. Bitte einen Inhaber darum.',
  // Explanations of how a video plays.
  'No file received yet. {0}': 'Noch keine Datei empfangen. {0}',
  'Waiting for its file.': 'Wartet auf die Datei.',
  'Waiting for its file: the last upload failed. {0}':
    'Wartet auf die Datei: Der letzte Upload ist fehlgeschlagen. {0}',
  'No reason was recorded.': 'Kein Grund bekannt.',
  'The file is empty.': 'Die Datei ist leer.',
  'The file is not a video or audio file.': 'Die Datei ist keine Video- oder Audiodatei.',
  'More than a tenth of the file is missing.': 'Mehr als ein Zehntel der Datei fehlt.',
  'The file has too many tracks.': 'Die Datei hat zu viele Spuren.',
  'The picture of the file is larger than the limit.': 'Das Bild der Datei ist größer als das Limit.',
  'The file contains neither video nor audio.': 'Die Datei enthält weder Video noch Ton.',
  'The codec of the file is not supported.': 'Der Codec der Datei wird nicht unterstützt.',
  'The file is longer than the limit.': 'Die Datei ist länger als das Limit.',
  'Reading the file took too long.': 'Das Lesen der Datei hat zu lange gedauert.',
  'Reading the file took too much memory.': 'Das Lesen der Datei hat zu viel Speicher gebraucht.',
  'Its encoding was cancelled. Re-encode the video to finish it.':
    'Die Encodierung wurde abgebrochen. Encodiere das Video neu, um es fertigzustellen.',
  'Its encoding was cancelled.': 'Die Encodierung wurde abgebrochen.',
  'Its encoding was cancelled. The video was not changed.':
    'Die Encodierung wurde abgebrochen. Das Video wurde nicht geändert.',
  'Encoding it again failed, so the video was not changed: {0}':
    'Das erneute Encodieren ist fehlgeschlagen, deshalb wurde das Video nicht geändert: {0}',
  'The new file could not be used, so the video was not changed: {0}':
    'Die neue Datei war nicht verwendbar, deshalb wurde das Video nicht geändert: {0}',
  'Probing the file; the encoding time is known after that.':
    'Die Datei wird analysiert; danach ist die Encodierdauer bekannt.',
  '{0}; the encoding time is known after that.': '{0}; danach ist die Encodierdauer bekannt.',
  'Next to be probed': 'Wird als Nächstes analysiert',
  'Waiting for {0} to be probed': 'Wartet auf die Analyse von {0}',
  '1 other video of this library': '1 anderes Video dieser Bibliothek',
  '{0} other videos of this library': '{0} andere Videos dieser Bibliothek',
  'Playable. {0}': 'Abspielbar. {0}',
  '{0}, sharing encoders with {1}; done in about {2}.': '{0}, teilt sich die Encoder mit {1}; fertig in etwa {2}.',
  '{0}; done in about {1}.': '{0}; fertig in etwa {1}.',
  '1 other library': '1 anderen Bibliothek',
  '{0} other libraries': '{0} anderen Bibliotheken',
  'Being encoded': 'Wird encodiert',
  'Its images are being finished': 'Die Bilder werden noch fertiggestellt',
  'Next in the queue': 'Als Nächstes an der Reihe',
  'Waiting while its first viewers use the encoders': 'Wartet, solange die ersten Zuschauer die Encoder brauchen',
  'Waiting for {0}': 'Wartet auf {0}',
  'Almost done.': 'Fast fertig.',
  'Playable; encoded on demand.': 'Abspielbar; wird bei Bedarf encodiert.',
  '1 failure': '1 Fehlversuch',
  '{0} failures': '{0} Fehlversuchen',
  'Retried after {0}: {1}': 'Wird nach {0} wiederholt: {1}',
  'All planned files are stored and listed.': 'Alle geplanten Dateien sind gespeichert und gelistet.',
  'The audio could not be encoded.': 'Der Ton konnte nicht encodiert werden.',
  'The audio ({0}) could not be encoded.': 'Der Ton ({0}) konnte nicht encodiert werden.',
  'The {0} rendition could not be encoded.': 'Die Fassung {0} konnte nicht encodiert werden.',
  '{0} is tried again after {1} failed attempts: {2}.': '{0} wird nach {1} Fehlversuchen wiederholt: {2}.',
  'No rendition has its first segment yet, so players get no playlist.':
    'Noch hat keine Fassung ihr erstes Segment, deshalb bekommen Player keine Playlist.',
  'Players are offered {0}.': 'Für Player verfügbar: {0}.',
  'Its stored files were read and compared with their hashes in the scrub that began on {0} (UTC).':
    'Die gespeicherten Dateien wurden im Prüflauf vom {0} (UTC) gelesen und mit ihren Hashes verglichen.',
  'The scrub that began on {0} (UTC) has not reached it yet.':
    'Der Prüflauf vom {0} (UTC) hat dieses Video noch nicht erreicht.',
  'The library requires signed URLs. An embed without a token is blocked.':
    'Die Bibliothek verlangt signierte URLs. Einbettungen ohne Token werden blockiert.',
  'Only pages of {0} may embed it. All others are blocked.':
    'Nur Seiten von {0} dürfen es einbetten. Alle anderen werden blockiert.',
  'Pages that send no referrer (Referrer-Policy: no-referrer, some apps) are blocked.':
    'Seiten, die keinen Referrer senden (Referrer-Policy: no-referrer, manche Apps), werden blockiert.',
  'Viewers in {0} wait {1} s for the first picture (median of {2} sessions).':
    'Zuschauer in {0} warten {1} s auf das erste Bild (Median von {2} Besuchen).',
  'In {0}, {1} % of {2} views stalled.': 'In {0} stockte die Wiedergabe bei {1} % von {2} Besuchen.',
  'Failures of playback in the last seven days in {0}: {1}.':
    'Fehler der Wiedergabe in den letzten sieben Tagen in {0}: {1}.',
  'Expected {0} to have 1 to {1} characters, got {2}. Correct it.':
    '{0}: Erwartet wurden 1 bis {1} Zeichen, erhalten {2}. Korrigiere das.',
  'Expected time to be a position in the video, 0 to {0} s, got {1}. Correct it.':
    'Erwartet wurde eine Stelle im Video von 0 bis {0} s, erhalten {1}. Korrigiere das.',
  'Comment {0} was written by somebody else. Send a reply instead.':
    'Kommentar {0} ist von jemand anderem. Schreibe stattdessen eine Antwort.',
  'Comment {0} was written by somebody else. Ask an editor.':
    'Kommentar {0} ist von jemand anderem. Bitte einen Redakteur.',
  'Comment {0} has replies of others, which would be deleted too. Set isResolved instead.':
    'Kommentar {0} hat Antworten anderer, die mit gelöscht würden. Markiere ihn stattdessen als erledigt.',
  'Comment {0} is a reply. Set isResolved of comment {1} instead.':
    'Kommentar {0} ist eine Antwort. Erledige stattdessen Kommentar {1}.',
  'Only its author and editors can resolve or open comment {0}. Ask one of them.':
    'Nur Verfasser und Redakteure können Kommentar {0} erledigen oder wieder öffnen. Frag einen von ihnen.',
  'Comment {0} of {1} not found. Check the ids.': 'Kommentar {0} ({1}) nicht gefunden. Vielleicht wurde er gelöscht.',
  'Comment {0} not found. It may have been deleted.': 'Kommentar {0} nicht gefunden. Vielleicht wurde er gelöscht.',
  'Comment {0} is a reply. Send the parentId {1} instead.':
    'Kommentar {0} ist eine Antwort. Antworte stattdessen auf Kommentar {1}.',
  'The video already has {0} comments. Delete some that are not needed.':
    'Das Video hat schon {0} Kommentare. Lösche einige, die nicht mehr nötig sind.',
  'an unknown country': 'einem unbekannten Land',
  // Messages about the encoding of a video.
  'The video is incomplete: {0} could not be created. Retry the failed parts.':
    'Das Video ist unvollständig: {0} konnte nicht erzeugt werden. Wiederhole die fehlgeschlagenen Teile.',
  '{0} could not be created: {1}': '{0} konnte nicht erzeugt werden: {1}',
  '{0} of {1} seconds of the audio could not be decoded and are silent.':
    '{0} von {1} Sekunden des Tons konnten nicht decodiert werden und sind stumm.',
  'The video is encoded as a whole and not on demand: {0}.':
    'Das Video wird als Ganzes und nicht bei Bedarf encodiert: {0}.',
  'Segment {0} of {1} could not be encoded on demand: {2}':
    'Segment {0} von {1} konnte nicht bei Bedarf encodiert werden: {2}',
  '{0} was left out: it would take nearly as many bits as the resolution above it.':
    '{0} wurde ausgelassen: Es bräuchte fast so viele Bits wie die nächsthöhere Auflösung.',
  'Segments {0} to {1} of {2} were damaged in the store and encoded again from the original.':
    'Die Segmente {0} bis {1} von {2} waren im Speicher beschädigt und wurden aus dem Original neu encodiert.',
  'The speech could not be transcribed: {0}': 'Die Sprache konnte nicht transkribiert werden: {0}',
  'Texts could not be generated: {0}': 'Texte konnten nicht erzeugt werden: {0}',
  // Why an action was refused.
  'The video has no file yet. Upload it first.': 'Das Video hat noch keine Datei. Lade zuerst eine hoch.',
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), or set MILLRACE_TRANSCRIBER to the URL of an OpenAI-compatible service.':
    'Keine Spracherkennung eingerichtet. Füge mit „millrace speech add NAME“ ein Modell hinzu („millrace speech ' +
    'list“ nennt die Namen) oder setze MILLRACE_TRANSCRIBER auf die Adresse eines OpenAI-kompatiblen Dienstes.',
  'A translation needs a language model. Set MILLRACE_LANGUAGE_MODEL_URL.':
    'Für Übersetzungen ist ein Sprachmodell nötig. Setze MILLRACE_LANGUAGE_MODEL_URL.',
  'There are no captions to translate.': 'Es gibt keine Untertitel zum Übersetzen.',
  'The video has no captions and no audio.': 'Das Video hat weder Untertitel noch Ton.',
  'The library has no webhook URL. Set its WebhookUrl first.':
    'Die Bibliothek hat keine Webhook-URL. Trage zuerst eine ein.',
  'The stream has ended and cannot start again. Create another one.':
    'Der Stream ist beendet und kann nicht erneut gestartet werden. Lege einen neuen an.',
  'Authentication has been denied for this request.': 'Der Schlüssel wurde nicht angenommen.',
  'Too many wrong keys from this address. Try again in a minute, or with a valid key.':
    'Von dieser Adresse kamen zu viele falsche Schlüssel. Versuche es in einer Minute oder mit einem gültigen Schlüssel erneut.',
  'The service failed to process this request. The log has the reason under the X-Request-Id of this response.':
    'Der Dienst konnte diese Anfrage nicht beantworten. Der Grund steht im Log unter der X-Request-Id der Antwort.',
  'Cloudflare Stream keeps no originals. Its MP4 download is imported.':
    'Cloudflare Stream behält keine Originale. Der MP4-Download wird importiert.',
  'Comments and playlists are not imported. Each channel becomes a collection.':
    'Kommentare und Playlists werden nicht übernommen. Jeder Kanal wird eine Sammlung.',
  'Comments, ratings and playlists are not imported.': 'Kommentare, Bewertungen und Playlists werden nicht übernommen.',
  'Comments, showcases and player presets are not imported. Each folder becomes a collection.':
    'Kommentare, Showcases und Player-Voreinstellungen werden nicht übernommen. Jeder Ordner wird eine Sammlung.',
  'Mux Data keeps views separately, so they are not imported.':
    'Mux Data führt Aufrufe getrennt, daher werden sie nicht übernommen.',
  'Mux has no descriptions, collections or custom thumbnails.':
    'Mux hat keine Beschreibungen, Sammlungen oder eigenen Vorschaubilder.',
  'Images of the library are not imported.': 'Bilder der Bibliothek werden nicht übernommen.',
  'Access keys and people are not imported. Settings, token key and host names need accountKey.':
    'Zugriffsschlüssel und Personen werden nicht übernommen. Einstellungen, Token-Schlüssel und Hostnamen brauchen accountKey.',
  'Statistics by country and heatmaps are not imported.':
    'Statistiken nach Ländern und Heatmaps werden nicht übernommen.',
  'Statistics by day and heatmaps are not imported.': 'Statistiken nach Tagen und Heatmaps werden nicht übernommen.',
  'Views are in a separate API and are not imported.':
    'Aufrufe stehen in einer getrennten API und werden nicht übernommen.',
  // Refusals of the API.
  'The field {0} must not have more than {1} characters, got {2}.': '{0}: höchstens {1} Zeichen.',
  'The field {0} must not have fewer than {1} characters, got {2}.': '{0}: mindestens {1} Zeichen.',
  'The field {0} must be one of {1}, got {2}.': '{0}: einer der Werte {1}, nicht {2}.',
  'Your role does not include the permission {0} here. Ask an owner for it.':
    'Deine Rolle enthält die Berechtigung {0} hier nicht. Bitte einen Inhaber darum.',
  'There is no library {0}. Choose another one.': 'Es gibt keine Bibliothek {0}. Wähle eine andere.',
  "This key can only read, but {0} writes. Use the library's ApiKey.":
    'Dieser Schlüssel darf nur lesen, {0} schreibt aber. Verwende den API-Schlüssel der Bibliothek.',
  'You are not signed in as a person. Sign in first.': 'Du bist nicht als Person angemeldet. Melde dich zuerst an.',
  'This person or passkey can no longer sign in. Ask an owner of the account.':
    'Diese Person oder dieser Passkey kann sich nicht mehr anmelden. Frage einen Inhaber des Kontos.',
  'Video {0} in the trash of library {1} not found. Check the id.':
    'Video {0} ist nicht im Papierkorb der Bibliothek {1}.',
  'Video {0} in library {1} not found. Check the id.':
    'Video {0} gibt es in der Bibliothek {1} nicht. Vielleicht wurde es gelöscht.',
  'Library {0} not found. Check the library roles.': 'Bibliothek {0} gibt es nicht. Prüfe die Rollen in Bibliotheken.',
  'Library {0} not found. Check the id.': 'Bibliothek {0} gibt es nicht. Vielleicht wurde sie gelöscht.',
  'Collection {0} in library {1} not found. Check the id.':
    'Sammlung {0} gibt es in der Bibliothek {1} nicht. Vielleicht wurde sie gelöscht.',
  'Person {0} not found. Check the id.': 'Die Person {0} gibt es nicht. Vielleicht wurde sie gelöscht.',
  'Key {0} of library {1} not found. Check both ids.':
    'Den Schlüssel {0} gibt es in der Bibliothek {1} nicht. Vielleicht wurde er widerrufen.',
  'Sign-in provider {0} not found. Check the id.':
    'Den Anmelde-Anbieter {0} gibt es nicht. Vielleicht wurde er gelöscht.',
  'Webhook endpoint {0} in library {1} not found. Check the id.':
    'Den Webhook-Empfänger {0} gibt es in der Bibliothek {1} nicht. Vielleicht wurde er gelöscht.',
  'This upload no longer exists.': 'Diesen Upload gibt es nicht mehr.',
  'This passkey does not exist. Reload the page.': 'Diesen Passkey gibt es nicht. Lade die Seite neu.',
  'The library uses {0} (quota {1}), and {2} more would exceed it. {3}':
    'Die Bibliothek nutzt {0}, und weitere {2} wären zu viel. {3}',
  'The library uses {0} (quota {1}). {2}': 'Die Bibliothek hat ihr Limit erreicht: {0}. {2}',
  '{0} of {1} of storage': '{0} von {1} Speicher',
  '{0} of {1} encoded minutes this month': '{0} von {1} encodierten Minuten in diesem Monat',
  '{0} of {1} live streams at the same time': '{0} von {1} gleichzeitigen Livestreams',
  '{0} of {1} sent this month': '{0} von {1} Datenvolumen in diesem Monat',
  'Delete videos and empty the trash, or raise the limit.':
    'Lösche Videos und leere den Papierkorb, oder erhöhe das Limit.',
  'End another stream, or raise the limit.': 'Beende einen anderen Stream, oder erhöhe das Limit.',
  'The host name {0} is already registered. Remove it from the other pull zone first.':
    'Der Hostname {0} ist schon eingetragen. Entferne ihn zuerst aus der anderen Pull-Zone.',
  'The video already has captions in {0} languages. Delete one first.':
    'Das Video hat schon Untertitel in {0} Sprachen. Lösche zuerst eine.',
  'The video already has {0} audio tracks. Remove one first.':
    'Das Video hat schon {0} Tonspuren. Entferne zuerst eine.',
  'Library {0} already has {1} keys. Revoke one that is not needed.':
    'Die Bibliothek {0} hat schon {1} Schlüssel. Widerrufe einen, der nicht mehr gebraucht wird.',
  'The account already has {0} people. Delete one first.': 'Das Konto hat schon {0} Personen. Lösche zuerst eine.',
  'The account already has {0} sign-in providers. Delete one first.':
    'Das Konto hat schon {0} Anmelde-Anbieter. Lösche zuerst einen.',
  'The library already has {0} endpoints. Delete one first.':
    'Die Bibliothek hat schon {0} Empfänger. Lösche zuerst einen.',
  'The list already has {0} host names. Remove one.': 'Die Liste hat schon {0} Hostnamen. Entferne einen.',
  '{0} already has {1} shares. Delete one that is not needed.':
    '{0} hat schon {1} Freigabeseiten. Lösche eine, die nicht mehr gebraucht wird.',
  'You have {0} passkeys, which is the maximum. Delete one first.':
    'Du hast {0} Passkeys, mehr sind nicht möglich. Lösche zuerst einen.',
  'Person {0} is disabled. Set Status to active first.': 'Die Person ist gesperrt. Entsperre sie zuerst.',
  'Another request still writes to this upload. Try again in a second.':
    'Eine andere Anfrage schreibt noch in diesen Upload. Versuche es gleich noch einmal.',
  'Another request took over this upload.': 'Eine andere Anfrage hat diesen Upload übernommen.',
  'The library already has {0} waiting or running fetches. Try again later.':
    'Die Bibliothek lädt schon {0} Dateien von URLs. Versuche es später noch einmal.',
  'Library {0} is already generating texts for {1} videos. Send this again later.':
    'Für {1} Videos dieser Bibliothek werden schon Texte erzeugt. Versuche es später noch einmal.',
  '{0} test deliveries of this library are already waiting. Try again later.':
    '{0} Testzustellungen dieser Bibliothek warten schon. Versuche es später noch einmal.',
  'Endpoint {0} is unknown or disabled. Check the id, or enable it.':
    'Der Empfänger ist unbekannt oder ausgeschaltet. Schalte ihn ein.',
  'The library has no chat webhook. Set its URL first.':
    'Die Bibliothek hat keinen Chat-Webhook. Trage zuerst seine URL ein.',
  'This move cannot be undone. {0}': 'Dieses Verschieben lässt sich nicht rückgängig machen. {0}',
  'Cannot change {0} after the stream has started. Create another stream.':
    '{0} lässt sich nach dem Start des Streams nicht ändern. Erstelle einen neuen Stream.',
  'The stream has ended, so its key is no longer accepted. Create another one.':
    'Der Stream ist beendet, sein Schlüssel gilt nicht mehr. Erstelle einen neuen Stream.',
  'The stream has ended and needs no key. Create another one.':
    'Der Stream ist beendet und braucht keinen Schlüssel. Erstelle einen neuen Stream.',
  'The stream has not started, so it cannot be stopped. Start it first, or delete it with DELETE.':
    'Der Stream hat nicht begonnen, also lässt er sich nicht stoppen. Starte ihn zuerst, oder lösche ihn.',
  'The recording of this stream is being turned into a video. Try again in a few seconds.':
    'Aus der Aufzeichnung dieses Streams wird gerade ein Video. Versuche es in ein paar Sekunden noch einmal.',
  'Expected a finished video, got {0} ({1}). Wait until it is finished.':
    'Das Video ist noch nicht fertig. Warte, bis es fertig ist.',
  'Expected a video that is not being encoded, got one that is {0}. Try again when it is finished.':
    'Das Video wird gerade encodiert. Versuche es noch einmal, wenn es fertig ist.',
  'The encoding of video {0} cannot be cancelled: it {1}. Check the video.':
    'Die Encodierung lässt sich nicht abbrechen: Es läuft keine.',
  'The original file of video {0} is missing. Upload it to a new video.':
    'Die Originaldatei des Videos fehlt. Lade sie als neues Video hoch.',
  'The audio tracks of video {0} cannot be changed now: it is waiting to be encoded. Try again later.':
    'Die Tonspuren lassen sich gerade nicht ändern: Das Video wartet auf die Encodierung. Versuche es später noch einmal.',
  'Expected a title that no other audio track of the video has, got {0}. Choose another.':
    'Eine andere Tonspur heißt schon {0}. Wähle einen anderen Titel.',
  'The body is not valid: {0} Nothing was done. Correct the fields.':
    'Die Eingaben sind nicht gültig: {0} Nichts wurde geändert.',
  'Expected a title, got an empty string. Send a title.': 'Der Titel ist leer. Gib einen ein.',
  'Expected a Name of at least 1 character, got none. Send a name.': 'Der Name ist leer. Gib einen ein.',
  'Expected a password of {0} to {1} characters, got {2}.': 'Das Passwort muss {0} bis {1} Zeichen haben, es hat {2}.',
  'Expected an e-mail address, got "{0}". Correct it.': '„{0}“ ist keine E-Mail-Adresse. Korrigiere sie.',
  'Expected url to be an http or https URL, got {0}. Correct it.':
    '{0} ist keine http- oder https-URL. Korrigiere sie.',
  'Expected a URL such as https://example.com/video.mp4, got {0}.':
    '{0} ist keine URL wie https://example.com/video.mp4.',
  'Expected a default role other than owner, because everybody would get it.':
    'Die Standardrolle darf nicht Inhaber sein, weil alle sie bekämen.',
  'Expected a domain such as example.com, got {0}.': '{0} ist keine Domain wie example.com.',
  'Expected another audio track of video {0} to remain, but none would. {1}':
    'Das Video muss mindestens eine Tonspur behalten. {1}',
  'The host {0} is not allowed: its address is {1}.': 'Der Host {0} ist nicht erlaubt: Seine Adresse ist {1}.',
  'The host name {0} has no address.': 'Der Hostname {0} hat keine Adresse.',
  'The server could not be reached: {0}.': 'Der Server ist nicht erreichbar: {0}.',
  'The origin sent an empty file. Check the URL.': 'Unter der URL liegt eine leere Datei. Prüfe die URL.',
  'The origin sent {0}, which cannot be fetched: {1}.': 'Unter der URL liegt keine Mediendatei ({0}).',
  'The file is an HTML page; {0}': 'Die Datei ist eine HTML-Seite, keine Video- oder Audiodatei.',
  'Expected an image of at most 8192 x 4320 pixels that can be decoded, but {0}. Send another file.':
    'Das Bild ist nicht lesbar oder größer als 8192 × 4320 Pixel. Nimm eine andere Datei.',
  'Expected a JPEG, PNG, WebP or AVIF image, got {0} bytes that begin with {1}. {2}':
    'Die Datei ist kein JPEG-, PNG-, WebP- oder AVIF-Bild.',
  'Too many images are being processed. Send this image again in a few seconds.':
    'Gerade werden zu viele Bilder verarbeitet. Versuche es in ein paar Sekunden noch einmal.',
  'Too many people are signing in at the moment. Try again in a few seconds.':
    'Gerade melden sich zu viele Personen an. Versuche es in ein paar Sekunden noch einmal.',
  'The search took too long. Search a shorter window, or filter by ruleId.':
    'Die Suche hat zu lange gedauert. Suche in einem kürzeren Zeitraum, oder filtere nach einer Regel.',
  'The {0} cannot be reached. As far as is known, this request changed nothing. Try again in {1} s.':
    'Ein Teil des Dienstes ist nicht erreichbar ({0}). Nichts wurde geändert. Versuche es in {1} s noch einmal.',
  'The storage is full. Free some space and send the bytes again.':
    'Der Speicher ist voll. Schaffe Platz und versuche es noch einmal.',
  'Expected {0} bytes to remain free after an upload of {1} bytes, but only {2} are free now. {3}':
    'Auf dem Server ist zu wenig Platz für diese Datei. Schaffe Platz, oder lade eine kleinere Datei hoch.',
  'Line {0}: expected times such as {1}, found "{2}".': 'Zeile {0}: „{2}“ ist keine Zeitangabe wie {1}.',
  'Line {0}: expected a cue to end after it starts.': 'Zeile {0}: Der Untertitel endet, bevor er beginnt.',
  'Line {0}: expected a cue with a line "start --> end", found "{1}".':
    'Zeile {0}: Hier fehlt eine Zeile „Anfang --> Ende“, gefunden: „{1}“.',
  'The video frames contain captions (CEA-608 or CEA-708) that players cannot show. Extract them, for example with CCExtractor, and add them as a SubRip or WebVTT file.':
    'Die Einzelbilder des Videos enthalten Untertitel (CEA-608 oder CEA-708), die Player nicht zeigen können. Lies sie aus, etwa mit CCExtractor, und füge sie als SubRip- oder WebVTT-Datei hinzu.',
  'The subtitles of stream {0} ({1}) are left out: they are images or in an unknown format. Add them as a SubRip or WebVTT file.':
    'Die Untertitel von Stream {0} ({1}) fehlen: Sie sind Bilder oder haben ein unbekanntes Format. Füge sie als SubRip- oder WebVTT-Datei hinzu.',
  'The audio of stream {0} ({1}) is left out: it cannot be decoded. Convert it to FLAC.':
    'Der Ton von Stream {0} ({1}) fehlt: Er lässt sich nicht decodieren. Wandle ihn in FLAC um.',
  'The sound stopped: the encoder sends video but no audio, so viewers hear silence. Check its microphone or audio source.':
    'Der Ton ist ausgefallen: Der Encoder sendet Bild, aber keinen Ton, Zuschauer hören also nichts. Prüfe sein Mikrofon oder seine Tonquelle.',
  'The encoder is connected, but sends no audio or video that can be used. Check its sources and its codecs.':
    'Der Encoder ist verbunden, sendet aber weder Bild noch Ton, die nutzbar sind. Prüfe seine Quellen und Codecs.',
  'The picture waits for a keyframe: expected one every 2 s, got none since the encoder connected. Set the keyframe interval of the encoder to 2 s.':
    'Das Bild wartet auf ein Keyframe: Seit der Verbindung kam keines. Stelle das Keyframe-Intervall des Encoders auf 2 s.',
  'Of {0} audio tracks, only the first {1} are offered.': 'Von {0} Tonspuren werden nur die ersten {1} angeboten.',
  'Of {0} subtitle tracks, only the first {1} are offered.':
    'Von {0} Untertitelspuren werden nur die ersten {1} angeboten.',
  'Captions "{0}": {1}': 'Untertitel „{0}“: {1}',
} as const;

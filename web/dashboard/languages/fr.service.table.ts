/**
 * The service's messages about videos, in French: its English sentence with `{0}`, `{1}` … for values, which are
 * translated too. Messages without an entry are shown in English.
 */
export const service = {
  'This link was used before or has expired. Sign in with your password or a key.':
    'Ce lien a déjà été utilisé ou a expiré. Connectez-vous avec votre mot de passe ou une clé.',
  'You are not signed in. Sign in first.': 'Vous n’êtes pas connecté. Connectez-vous d’abord.',
  'E-mail address, password or code is wrong.': 'Adresse e-mail, mot de passe ou code incorrect.',
  'This invitation was used before or has expired. Ask for a new one.':
    'Cette invitation a déjà été utilisée ou a expiré. Demandez-en une nouvelle.',
  'Too many failed sign-ins. Try again in 15 minutes, or sign in with a key.':
    'Trop d’échecs de connexion. Réessayez dans 15 minutes ou connectez-vous avec une clé.',
  'This passkey cannot sign in here. Use another one, or sign in with your password.':
    'Cette passkey ne permet pas de se connecter ici. Utilisez-en une autre ou connectez-vous avec votre mot de passe.',
  'This passkey cannot be verified. Start again.': 'Cette passkey ne peut pas être vérifiée. Recommencez.',
  'This attempt has expired or was used before. Start again.':
    'Cette tentative a expiré ou a déjà été utilisée. Recommencez.',
  'You signed in more than 10 minutes ago. Sign out, sign in, and try again.':
    'Votre connexion date de plus de 10 minutes. Déconnectez-vous, reconnectez-vous et réessayez.',
  'This passkey is already in use.': 'Cette passkey est déjà utilisée.',
  'The current password is wrong.': 'Le mot de passe actuel est incorrect.',
  'Too many wrong passwords. Try again in 15 minutes.': 'Trop de mots de passe incorrects. Réessayez dans 15 minutes.',
  'This code is wrong. Check the clock of your device and try again.':
    'Ce code est incorrect. Vérifiez l’horloge de votre appareil et réessayez.',
  'This password is too easy to guess. Choose several words, or use a password manager.':
    'Ce mot de passe est trop facile à deviner. Choisissez plusieurs mots ou utilisez un gestionnaire de mots de ' +
    'passe.',
  'A person with this e-mail address already exists.': 'Une personne avec cette adresse e-mail existe déjà.',
  'This is the last active owner of the account. Make another person an owner first.':
    'C’est le dernier propriétaire actif du compte. Désignez d’abord un autre propriétaire.',
  'The sign-in provider {0} cannot be used: {1} Try again later.':
    'Le fournisseur d’identité {0} est inutilisable : {1} Réessayez plus tard.',
  'Too many sign-ins from this address. Try again in a minute.':
    'Trop de connexions depuis cette adresse. Réessayez dans une minute.',
  'Only an owner of the account can add, change or remove an owner. Ask one of the owners.':
    'Seul un propriétaire du compte peut ajouter, modifier ou supprimer un propriétaire. Contactez l’un d’eux.',
  // Explanations of how a video plays.
  'No file received yet. {0}': 'Aucun fichier reçu pour l’instant. {0}',
  'Waiting for its file.': 'En attente de son fichier.',
  'Waiting for its file: the last upload failed. {0}': 'En attente de son fichier : le dernier envoi a échoué. {0}',
  'No reason was recorded.': 'Aucun motif n’a été enregistré.',
  'The file is empty.': 'Le fichier est vide.',
  'The file is not a video or audio file.': 'Le fichier n’est ni une vidéo ni un fichier audio.',
  'More than a tenth of the file is missing.': 'Il manque plus d’un dixième du fichier.',
  'The file has too many tracks.': 'Le fichier contient trop de pistes.',
  'The picture of the file is larger than the limit.': 'L’image du fichier dépasse la limite de taille.',
  'The file contains neither video nor audio.': 'Le fichier ne contient ni vidéo ni audio.',
  'The codec of the file is not supported.': 'Le codec du fichier n’est pas pris en charge.',
  'The file is longer than the limit.': 'Le fichier dépasse la limite de durée.',
  'Reading the file took too long.': 'La lecture du fichier a pris trop de temps.',
  'Reading the file took too much memory.': 'La lecture du fichier a utilisé trop de mémoire.',
  'Its encoding was cancelled. Re-encode the video to finish it.':
    'Son encodage a été annulé. Réencodez la vidéo pour la terminer.',
  'Its encoding was cancelled.': 'Son encodage a été annulé.',
  'Its encoding was cancelled. The video was not changed.': 'Son encodage a été annulé. La vidéo n’a pas été modifiée.',
  'Encoding it again failed, so the video was not changed: {0}':
    'Le réencodage a échoué, la vidéo n’a donc pas été modifiée : {0}',
  'The new file could not be used, so the video was not changed: {0}':
    'Le nouveau fichier n’a pas pu être utilisé, la vidéo n’a donc pas été modifiée : {0}',
  'Probing the file; the encoding time is known after that.':
    'Analyse du fichier en cours ; la durée d’encodage sera connue ensuite.',
  '{0}; the encoding time is known after that.': '{0} ; la durée d’encodage sera connue ensuite.',
  'Next to be probed': 'Prochaine vidéo à analyser',
  'Waiting for {0} to be probed': 'En attente de l’analyse de {0}',
  '1 other video of this library': '1 autre vidéo de cette bibliothèque',
  '{0} other videos of this library': '{0} autres vidéos de cette bibliothèque',
  'Playable. {0}': 'Lisible. {0}',
  '{0}, sharing encoders with {1}; done in about {2}.': '{0}, encodeurs partagés avec {1} ; prête dans {2} environ.',
  '{0}; done in about {1}.': '{0} ; prête dans {1} environ.',
  '1 other library': '1 autre bibliothèque',
  '{0} other libraries': '{0} autres bibliothèques',
  'Being encoded': 'Encodage en cours',
  'Its images are being finished': 'Ses images sont en cours de finalisation',
  'Next in the queue': 'Prochaine vidéo de la file d’attente',
  'Waiting while its first viewers use the encoders':
    'En attente pendant que ses premiers spectateurs utilisent les encodeurs',
  'Waiting for {0}': 'En attente de {0}',
  'Almost done.': 'Presque terminé.',
  'Playable; encoded on demand.': 'Lisible ; encodée à la demande.',
  '1 failure': '1 échec',
  '{0} failures': '{0} échecs',
  'Retried after {0}: {1}': 'Nouvelle tentative après {0} : {1}',
  'All planned files are stored and listed.': 'Tous les fichiers prévus sont stockés et répertoriés.',
  'The audio could not be encoded.': 'L’audio n’a pas pu être encodé.',
  'The audio ({0}) could not be encoded.': 'L’audio ({0}) n’a pas pu être encodé.',
  'The {0} rendition could not be encoded.': 'La version {0} n’a pas pu être encodée.',
  '{0} is tried again after {1} failed attempts: {2}.':
    'Nouvelle tentative pour {0} après {1} tentatives échouées : {2}.',
  'No rendition has its first segment yet, so players get no playlist.':
    'Aucune version n’a encore son premier segment, les lecteurs ne reçoivent donc pas de playlist.',
  'Players are offered {0}.': 'Versions proposées aux lecteurs : {0}.',
  'Its stored files were read and compared with their hashes in the scrub that began on {0} (UTC).':
    'Ses fichiers stockés ont été lus et comparés à leurs empreintes lors du contrôle d’intégrité commencé le ' +
    '{0} (UTC).',
  'The scrub that began on {0} (UTC) has not reached it yet.':
    'Le contrôle d’intégrité commencé le {0} (UTC) ne l’a pas encore atteinte.',
  'The library requires signed URLs. An embed without a token is blocked.':
    'La bibliothèque exige des URL signées. Une intégration sans jeton est bloquée.',
  'Only pages of {0} may embed it. All others are blocked.':
    'Seules les pages de {0} peuvent l’intégrer. Toutes les autres sont bloquées.',
  'Pages that send no referrer (Referrer-Policy: no-referrer, some apps) are blocked.':
    'Les pages qui n’envoient pas de referrer (Referrer-Policy: no-referrer, certaines applications) sont bloquées.',
  'Viewers in {0} wait {1} s for the first picture (median of {2} sessions).':
    'Spectateurs ({0}) : {1} s d’attente avant la première image (médiane de {2} visites).',
  'In {0}, {1} % of {2} views stalled.': 'Visites ({0}) : lecture interrompue dans {1} % des {2} visites.',
  'Failures of playback in the last seven days in {0}: {1}.':
    'Échecs de lecture au cours des sept derniers jours ({0}) : {1}.',
  'Expected {0} to have 1 to {1} characters, got {2}. Correct it.':
    '{0} : 1 à {1} caractères attendus, {2} reçus. Corrigez.',
  'Expected time to be a position in the video, 0 to {0} s, got {1}. Correct it.':
    'Position attendue dans la vidéo de 0 à {0} s, {1} reçu. Corrigez.',
  'Comment {0} was written by somebody else. Send a reply instead.':
    'Le commentaire {0} est d’une autre personne. Répondez plutôt.',
  'Comment {0} was written by somebody else. Ask an editor.':
    'Le commentaire {0} est d’une autre personne. Demandez à un éditeur.',
  'Comment {0} has replies of others, which would be deleted too. Set isResolved instead.':
    'Le commentaire {0} a des réponses d’autres personnes, qui seraient supprimées. Marquez-le comme résolu.',
  'Comment {0} is a reply. Set isResolved of comment {1} instead.':
    'Le commentaire {0} est une réponse. Résolvez plutôt le commentaire {1}.',
  'Only its author and editors can resolve or open comment {0}. Ask one of them.':
    'Seuls son auteur et les éditeurs peuvent résoudre ou rouvrir le commentaire {0}. Demandez à l’un d’eux.',
  'Comment {0} of {1} not found. Check the ids.': 'Commentaire {0} ({1}) introuvable. Il a peut-être été supprimé.',
  'Comment {0} not found. It may have been deleted.': 'Commentaire {0} introuvable. Il a peut-être été supprimé.',
  'Comment {0} is a reply. Send the parentId {1} instead.':
    'Le commentaire {0} est une réponse. Répondez plutôt au commentaire {1}.',
  'The video already has {0} comments. Delete some that are not needed.':
    'La vidéo a déjà {0} commentaires. Supprimez ceux qui sont inutiles.',
  'an unknown country': 'pays inconnu',
  // Messages about the encoding of a video.
  'The video is incomplete: {0} could not be created. Retry the failed parts.':
    'La vidéo est incomplète : impossible de créer {0}. Relancez les parties échouées.',
  '{0} could not be created: {1}': 'Impossible de créer {0} : {1}',
  '{0} of {1} seconds of the audio could not be decoded and are silent.':
    '{0} secondes d’audio sur {1} n’ont pas pu être décodées et sont muettes.',
  'The video is encoded as a whole and not on demand: {0}.':
    'La vidéo est encodée en entier et non à la demande : {0}.',
  'Segment {0} of {1} could not be encoded on demand: {2}':
    'Le segment {0} sur {1} n’a pas pu être encodé à la demande : {2}',
  '{0} was left out: it would take nearly as many bits as the resolution above it.':
    '{0} a été omis : son débit aurait été presque le même que celui de la résolution supérieure.',
  'Segments {0} to {1} of {2} were damaged in the store and encoded again from the original.':
    'Les segments {0} à {1} sur {2} étaient endommagés dans le stockage et ont été réencodés à partir de l’original.',
  'The speech could not be transcribed: {0}': 'La parole n’a pas pu être transcrite : {0}',
  'Texts could not be generated: {0}': 'Les textes n’ont pas pu être générés : {0}',
  // Why an action was refused.
  'The video has no file yet. Upload it first.': 'La vidéo n’a pas encore de fichier. Envoyez-le d’abord.',
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), or set MILLRACE_TRANSCRIBER to the URL of an OpenAI-compatible service.':
    'Aucun moteur de reconnaissance vocale n’est défini. Ajoutez un modèle avec « millrace speech add NAME » (« ' +
    'millrace speech list » donne les noms), ou indiquez l’URL d’un service compatible avec OpenAI dans ' +
    'MILLRACE_TRANSCRIBER.',
  'A translation needs a language model. Set MILLRACE_LANGUAGE_MODEL_URL.':
    'Une traduction nécessite un modèle de langage. Définissez MILLRACE_LANGUAGE_MODEL_URL.',
  'There are no captions to translate.': 'Il n’y a pas de sous-titres à traduire.',
  'The video has no captions and no audio.': 'La vidéo n’a ni sous-titres ni audio.',
  'The library has no webhook URL. Set its WebhookUrl first.':
    'La bibliothèque n’a pas d’URL de webhook. Définissez d’abord sa WebhookUrl.',
  'The stream has ended and cannot start again. Create another one.':
    'Le direct est terminé et ne peut pas redémarrer. Créez-en un autre.',
  'Authentication has been denied for this request.': 'La clé n’a pas été acceptée pour cette requête.',
  'Too many wrong keys from this address. Try again in a minute, or with a valid key.':
    'Trop de clés incorrectes depuis cette adresse. Réessayez dans une minute ou avec une clé valable.',
  'The service failed to process this request. The log has the reason under the X-Request-Id of this response.':
    'Le service n’a pas pu traiter cette requête. Le motif figure dans le journal sous le X-Request-Id de cette ' +
    'réponse.',
  'Cloudflare Stream keeps no originals. Its MP4 download is imported.':
    'Cloudflare Stream ne conserve pas les originaux. Son téléchargement MP4 est importé.',
  'Comments and playlists are not imported. Each channel becomes a collection.':
    'Les commentaires et les playlists ne sont pas importés. Chaque chaîne devient une collection.',
  'Comments, ratings and playlists are not imported.':
    'Les commentaires, les notes et les playlists ne sont pas importés.',
  'Comments, showcases and player presets are not imported. Each folder becomes a collection.':
    'Les commentaires, les showcases et les préréglages de lecteur ne sont pas importés. Chaque dossier devient ' +
    'une collection.',
  'Mux Data keeps views separately, so they are not imported.':
    'Mux Data conserve les vues séparément, elles ne sont donc pas importées.',
  'Mux has no descriptions, collections or custom thumbnails.':
    'Mux n’a ni descriptions, ni collections, ni miniatures personnalisées.',
  'Images of the library are not imported.': 'Les images de la bibliothèque ne sont pas importées.',
  'Access keys and people are not imported. Settings, token key and host names need accountKey.':
    'Les clés d’accès et les personnes ne sont pas importées. Les réglages, la clé des jetons et les noms d’hôte exigent accountKey.',
  'Statistics by country and heatmaps are not imported.':
    'Les statistiques par pays et les cartes de chaleur ne sont pas importées.',
  'Statistics by day and heatmaps are not imported.':
    'Les statistiques par jour et les cartes de chaleur ne sont pas importées.',
  'Views are in a separate API and are not imported.':
    'Les vues se trouvent dans une API distincte et ne sont pas importées.',
  // Refusals of the API.
  'The field {0} must not have more than {1} characters, got {2}.': '{0} : {1} caractères au maximum.',
  'The field {0} must not have fewer than {1} characters, got {2}.': '{0} : {1} caractères au minimum.',
  'The field {0} must be one of {1}, got {2}.': '{0} : une des valeurs {1}, pas {2}.',
  'Your role does not include the permission {0} here. Ask an owner for it.':
    'Votre rôle n’inclut pas ici l’autorisation {0}. Demandez-la à un propriétaire.',
  'There is no library {0}. Choose another one.': 'La bibliothèque {0} n’existe pas. Choisissez-en une autre.',
  "This key can only read, but {0} writes. Use the library's ApiKey.":
    'Cette clé ne permet que la lecture, mais {0} écrit. Utilisez la clé API de la bibliothèque.',
  'You are not signed in as a person. Sign in first.':
    'Vous n’êtes pas connecté en tant que personne. Connectez-vous d’abord.',
  'This person or passkey can no longer sign in. Ask an owner of the account.':
    'Cette personne ou cette passkey ne peut plus se connecter. Adressez-vous à un propriétaire du compte.',
  'Video {0} in the trash of library {1} not found. Check the id.':
    'La vidéo {0} n’est pas dans la corbeille de la bibliothèque {1}.',
  'Video {0} in library {1} not found. Check the id.':
    'La vidéo {0} n’existe pas dans la bibliothèque {1}. Elle a peut-être été supprimée.',
  'Library {0} not found. Check the library roles.':
    'La bibliothèque {0} n’existe pas. Vérifiez les rôles par bibliothèque.',
  'Library {0} not found. Check the id.': 'La bibliothèque {0} n’existe pas. Elle a peut-être été supprimée.',
  'Collection {0} in library {1} not found. Check the id.':
    'La collection {0} n’existe pas dans la bibliothèque {1}. Elle a peut-être été supprimée.',
  'Person {0} not found. Check the id.': 'La personne {0} n’existe pas. Elle a peut-être été supprimée.',
  'Key {0} of library {1} not found. Check both ids.':
    'La clé {0} n’existe pas dans la bibliothèque {1}. Elle a peut-être été révoquée.',
  'Sign-in provider {0} not found. Check the id.':
    'Le fournisseur d’identité {0} n’existe pas. Il a peut-être été supprimé.',
  'Webhook endpoint {0} in library {1} not found. Check the id.':
    'La destination du webhook {0} n’existe pas dans la bibliothèque {1}. Elle a peut-être été supprimée.',
  'This upload no longer exists.': 'Cet envoi n’existe plus.',
  'This passkey does not exist. Reload the page.': 'Cette passkey n’existe pas. Rechargez la page.',
  'The library uses {0} (quota {1}), and {2} more would exceed it. {3}':
    'La bibliothèque utilise {0}, et {2} de plus dépasseraient la limite. {3}',
  'The library uses {0} (quota {1}). {2}': 'La bibliothèque a atteint sa limite : {0}. {2}',
  '{0} of {1} of storage': '{0} sur {1} de stockage',
  '{0} of {1} encoded minutes this month': '{0} minutes encodées sur {1} ce mois-ci',
  '{0} of {1} live streams at the same time': '{0} directs simultanés sur {1}',
  '{0} of {1} sent this month': '{0} sur {1} transmis ce mois-ci',
  'Delete videos and empty the trash, or raise the limit.':
    'Supprimez des vidéos et videz la corbeille, ou augmentez la limite.',
  'End another stream, or raise the limit.': 'Arrêtez un autre direct, ou augmentez la limite.',
  'The host name {0} is already registered. Remove it from the other pull zone first.':
    'Le nom d’hôte {0} est déjà enregistré. Retirez-le d’abord de l’autre pull zone.',
  'The video already has captions in {0} languages. Delete one first.':
    'La vidéo a déjà des sous-titres en {0} langues. Supprimez-en d’abord une.',
  'The video already has {0} audio tracks. Remove one first.':
    'La vidéo a déjà {0} pistes audio. Retirez-en d’abord une.',
  'Library {0} already has {1} keys. Revoke one that is not needed.':
    'La bibliothèque {0} a déjà {1} clés. Révoquez-en une qui ne sert plus.',
  'The account already has {0} people. Delete one first.': 'Le compte a déjà {0} personnes. Supprimez-en d’abord une.',
  'The account already has {0} sign-in providers. Delete one first.':
    'Le compte a déjà {0} fournisseurs d’identité. Supprimez-en d’abord un.',
  'The library already has {0} endpoints. Delete one first.':
    'La bibliothèque a déjà {0} destinations. Supprimez-en d’abord une.',
  'The list already has {0} host names. Remove one.': 'La liste contient déjà {0} noms d’hôte. Retirez-en un.',
  '{0} already has {1} shares. Delete one that is not needed.':
    '{0} a déjà {1} partages. Supprimez-en un qui ne sert plus.',
  'You have {0} passkeys, which is the maximum. Delete one first.':
    'Vous avez {0} passkeys, le maximum. Supprimez-en d’abord une.',
  'Person {0} is disabled. Set Status to active first.': 'La personne est désactivée. Réactivez-la d’abord.',
  'Another request still writes to this upload. Try again in a second.':
    'Une autre requête écrit encore dans cet envoi. Réessayez dans une seconde.',
  'Another request took over this upload.': 'Une autre requête a repris cet envoi.',
  'The library already has {0} waiting or running fetches. Try again later.':
    'La bibliothèque a déjà {0} récupérations en cours ou en attente. Réessayez plus tard.',
  'Library {0} is already generating texts for {1} videos. Send this again later.':
    'Des textes sont déjà générés pour {1} vidéos de cette bibliothèque. Réessayez plus tard.',
  '{0} test deliveries of this library are already waiting. Try again later.':
    '{0} envois de test de cette bibliothèque sont déjà en attente. Réessayez plus tard.',
  'Endpoint {0} is unknown or disabled. Check the id, or enable it.':
    'La destination est inconnue ou désactivée. Activez-la.',
  'The library has no chat webhook. Set its URL first.':
    'La bibliothèque n’a pas de webhook de messagerie. Indiquez d’abord son URL.',
  'This move cannot be undone. {0}': 'Ce déplacement ne peut pas être annulé. {0}',
  'Cannot change {0} after the stream has started. Create another stream.':
    'Impossible de modifier {0} après le début du direct. Créez-en un autre.',
  'The stream has ended, so its key is no longer accepted. Create another one.':
    'Le direct est terminé, sa clé n’est plus acceptée. Créez-en un autre.',
  'The stream has ended and needs no key. Create another one.':
    'Le direct est terminé et n’a plus besoin de clé. Créez-en un autre.',
  'The stream has not started, so it cannot be stopped. Start it first, or delete it with DELETE.':
    'Le direct n’a pas commencé et ne peut donc pas être arrêté. Démarrez-le d’abord, ou supprimez-le.',
  'The recording of this stream is being turned into a video. Try again in a few seconds.':
    'L’enregistrement de ce direct est en cours de conversion en vidéo. Réessayez dans quelques secondes.',
  'Expected a finished video, got {0} ({1}). Wait until it is finished.':
    'La vidéo n’est pas encore prête. Attendez qu’elle soit terminée.',
  'Expected a video that is not being encoded, got one that is {0}. Try again when it is finished.':
    'La vidéo est en cours d’encodage. Réessayez quand elle sera terminée.',
  'The encoding of video {0} cannot be cancelled: it {1}. Check the video.':
    'L’encodage ne peut pas être annulé : aucun n’est en cours.',
  'The original file of video {0} is missing. Upload it to a new video.':
    'Le fichier d’origine de la vidéo manque. Envoyez-le comme nouvelle vidéo.',
  'The audio tracks of video {0} cannot be changed now: it is waiting to be encoded. Try again later.':
    'Les pistes audio ne peuvent pas être modifiées maintenant : la vidéo attend son encodage. Réessayez plus tard.',
  'Expected a title that no other audio track of the video has, got {0}. Choose another.':
    'Une autre piste audio s’appelle déjà {0}. Choisissez un autre titre.',
  'The body is not valid: {0} Nothing was done. Correct the fields.':
    'Les données saisies ne sont pas valides : {0} Rien n’a été modifié.',
  'Expected a title, got an empty string. Send a title.': 'Le titre est vide. Saisissez-en un.',
  'Expected a Name of at least 1 character, got none. Send a name.': 'Le nom est vide. Saisissez-en un.',
  'Expected a password of {0} to {1} characters, got {2}.':
    'Le mot de passe doit compter de {0} à {1} caractères ; il en a {2}.',
  'Expected an e-mail address, got "{0}". Correct it.': '« {0} » n’est pas une adresse e-mail. Corrigez-la.',
  'Expected url to be an http or https URL, got {0}. Correct it.': '{0} n’est pas une URL http ou https. Corrigez-la.',
  'Expected a URL such as https://example.com/video.mp4, got {0}.':
    '{0} n’est pas une URL comme https://example.com/video.mp4.',
  'Expected a default role other than owner, because everybody would get it.':
    'Le rôle par défaut ne peut pas être propriétaire, car tout le monde l’obtiendrait.',
  'Expected a domain such as example.com, got {0}.': '{0} n’est pas un domaine comme example.com.',
  'Expected another audio track of video {0} to remain, but none would. {1}':
    'La vidéo doit garder au moins une piste audio. {1}',
  'The host {0} is not allowed: its address is {1}.': 'L’hôte {0} n’est pas autorisé : son adresse est {1}.',
  'The host name {0} has no address.': 'Le nom d’hôte {0} n’a pas d’adresse.',
  'The server could not be reached: {0}.': 'Le serveur est injoignable : {0}.',
  'The origin sent an empty file. Check the URL.': 'L’URL a renvoyé un fichier vide. Vérifiez l’URL.',
  'The origin sent {0}, which cannot be fetched: {1}.': 'L’URL ne renvoie pas de fichier multimédia ({0}).',
  'The file is an HTML page; {0}': 'Le fichier est une page HTML, pas une vidéo ni un fichier audio.',
  'Expected an image of at most 8192 x 4320 pixels that can be decoded, but {0}. Send another file.':
    'L’image est illisible ou dépasse 8192 × 4320 pixels. Choisissez un autre fichier.',
  'Expected a JPEG, PNG, WebP or AVIF image, got {0} bytes that begin with {1}. {2}':
    'Le fichier n’est pas une image JPEG, PNG, WebP ou AVIF.',
  'Too many images are being processed. Send this image again in a few seconds.':
    'Trop d’images sont en cours de traitement. Réessayez dans quelques secondes.',
  'Too many people are signing in at the moment. Try again in a few seconds.':
    'Trop de personnes se connectent en ce moment. Réessayez dans quelques secondes.',
  'The search took too long. Search a shorter window, or filter by ruleId.':
    'La recherche a pris trop de temps. Réduisez la période, ou filtrez par règle.',
  'The {0} cannot be reached. As far as is known, this request changed nothing. Try again in {1} s.':
    'Une partie du service est injoignable ({0}). Rien n’a été modifié. Réessayez dans {1} s.',
  'The storage is full. Free some space and send the bytes again.':
    'Le stockage est plein. Libérez de l’espace et réessayez.',
  'Expected {0} bytes to remain free after an upload of {1} bytes, but only {2} are free now. {3}':
    'Le serveur n’a pas assez d’espace pour ce fichier. Libérez de l’espace, ou envoyez un fichier plus petit.',
  'Line {0}: expected times such as {1}, found "{2}".': 'Ligne {0} : « {2} » n’est pas un temps comme {1}.',
  'Line {0}: expected a cue to end after it starts.': 'Ligne {0} : le sous-titre se termine avant de commencer.',
  'Line {0}: expected a cue with a line "start --> end", found "{1}".':
    'Ligne {0} : il manque une ligne « début --> fin », trouvé : « {1} ».',
  'The video frames contain captions (CEA-608 or CEA-708) that players cannot show. Extract them, for example with CCExtractor, and add them as a SubRip or WebVTT file.':
    'Les images de la vidéo contiennent des sous-titres (CEA-608 ou CEA-708) que les lecteurs ne peuvent pas afficher. Extrayez-les, par exemple avec CCExtractor, et ajoutez-les sous forme de fichier SubRip ou WebVTT.',
  'The subtitles of stream {0} ({1}) are left out: they are images or in an unknown format. Add them as a SubRip or WebVTT file.':
    'Les sous-titres du flux {0} ({1}) sont ignorés : ce sont des images ou leur format est inconnu. Ajoutez-les sous forme de fichier SubRip ou WebVTT.',
  'The audio of stream {0} ({1}) is left out: it cannot be decoded. Convert it to FLAC.':
    'Le son du flux {0} ({1}) est ignoré : il ne peut pas être décodé. Convertissez-le en FLAC.',
  'The sound stopped: the encoder sends video but no audio, so viewers hear silence. Check its microphone or audio source.':
    'Le son s’est arrêté : l’encodeur envoie l’image mais pas le son, les spectateurs n’entendent donc rien. Vérifiez son micro ou sa source audio.',
  'The encoder is connected, but sends no audio or video that can be used. Check its sources and its codecs.':
    'L’encodeur est connecté, mais n’envoie ni son ni image utilisables. Vérifiez ses sources et ses codecs.',
  'The picture waits for a keyframe: expected one every 2 s, got none since the encoder connected. Set the keyframe interval of the encoder to 2 s.':
    'L’image attend une image clé : aucune n’est arrivée depuis la connexion. Réglez l’intervalle d’images clés de l’encodeur sur 2 s.',
  'Of {0} audio tracks, only the first {1} are offered.':
    'Sur {0} pistes audio, seules les {1} premières sont proposées.',
  'Of {0} subtitle tracks, only the first {1} are offered.':
    'Sur {0} pistes de sous-titres, seules les {1} premières sont proposées.',
  'Captions "{0}": {1}': 'Sous-titres « {0} » : {1}',
} as const;

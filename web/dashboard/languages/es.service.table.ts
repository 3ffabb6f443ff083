/**
 * The service's messages about videos, in Spanish: its English sentence with `{0}`, `{1}` … for values, which are
 * translated too. Messages without an entry are shown in English.
 */
export const service = {
  'This link was used before or has expired. Sign in with your password or a key.':
    'Este enlace ya se usó o caducó. Inicia sesión con tu contraseña o una clave.',
  'You are not signed in. Sign in first.': 'La sesión no está iniciada. Inicia sesión primero.',
  'E-mail address, password or code is wrong.': 'El correo electrónico, la contraseña o el código no son correctos.',
  'This invitation was used before or has expired. Ask for a new one.':
    'Esta invitación ya se usó o caducó. Pide una nueva.',
  'Too many failed sign-ins. Try again in 15 minutes, or sign in with a key.':
    'Demasiados inicios de sesión fallidos. Inténtalo de nuevo en 15 minutos o inicia sesión con una clave.',
  'This passkey cannot sign in here. Use another one, or sign in with your password.':
    'Esta llave de acceso no sirve para iniciar sesión aquí. Usa otra o inicia sesión con tu contraseña.',
  'This passkey cannot be verified. Start again.': 'No se puede verificar esta llave de acceso. Empieza de nuevo.',
  'This attempt has expired or was used before. Start again.': 'Este intento caducó o ya se usó. Empieza de nuevo.',
  'You signed in more than 10 minutes ago. Sign out, sign in, and try again.':
    'Iniciaste sesión hace más de 10 minutos. Cierra sesión, vuelve a iniciarla e inténtalo de nuevo.',
  'This passkey is already in use.': 'Esta llave de acceso ya está en uso.',
  'The current password is wrong.': 'La contraseña actual no es correcta.',
  'Too many wrong passwords. Try again in 15 minutes.':
    'Demasiadas contraseñas incorrectas. Inténtalo de nuevo en 15 minutos.',
  'This code is wrong. Check the clock of your device and try again.':
    'Este código no es correcto. Comprueba el reloj de tu dispositivo e inténtalo de nuevo.',
  'This password is too easy to guess. Choose several words, or use a password manager.':
    'Esta contraseña es demasiado fácil de adivinar. Elige varias palabras o usa un gestor de contraseñas.',
  'A person with this e-mail address already exists.': 'Ya existe una persona con esta dirección de correo.',
  'This is the last active owner of the account. Make another person an owner first.':
    'Es el último propietario activo de la cuenta. Convierte antes a otra persona en propietario.',
  'The sign-in provider {0} cannot be used: {1} Try again later.':
    'No se puede usar el proveedor de inicio de sesión {0}: {1} Inténtalo más tarde.',
  'Too many sign-ins from this address. Try again in a minute.':
    'Demasiados inicios de sesión desde esta dirección. Inténtalo de nuevo en un minuto.',
  'Only an owner of the account can add, change or remove an owner. Ask one of the owners.':
    'Solo un propietario de la cuenta puede añadir, modificar o quitar propietarios. Pídeselo a uno de ellos.',
  // Explanations of how a video plays.
  'No file received yet. {0}': 'Aún no se ha recibido ningún archivo. {0}',
  'Waiting for its file.': 'Esperando su archivo.',
  'Waiting for its file: the last upload failed. {0}': 'Esperando su archivo: la última subida falló. {0}',
  'No reason was recorded.': 'No se registró el motivo.',
  'The file is empty.': 'El archivo está vacío.',
  'The file is not a video or audio file.': 'El archivo no es de vídeo ni de audio.',
  'More than a tenth of the file is missing.': 'Falta más de una décima parte del archivo.',
  'The file has too many tracks.': 'El archivo tiene demasiadas pistas.',
  'The picture of the file is larger than the limit.': 'La imagen del archivo supera el límite.',
  'The file contains neither video nor audio.': 'El archivo no contiene vídeo ni audio.',
  'The codec of the file is not supported.': 'El códec del archivo no es compatible.',
  'The file is longer than the limit.': 'La duración del archivo supera el límite.',
  'Reading the file took too long.': 'La lectura del archivo tardó demasiado.',
  'Reading the file took too much memory.': 'La lectura del archivo consumió demasiada memoria.',
  'Its encoding was cancelled. Re-encode the video to finish it.':
    'Se canceló su codificación. Vuelve a codificar el vídeo para terminarlo.',
  'Its encoding was cancelled.': 'Se canceló su codificación.',
  'Its encoding was cancelled. The video was not changed.': 'Se canceló su codificación. El vídeo no se modificó.',
  'Encoding it again failed, so the video was not changed: {0}':
    'No se pudo volver a codificar, así que el vídeo no se modificó: {0}',
  'The new file could not be used, so the video was not changed: {0}':
    'No se pudo usar el archivo nuevo, así que el vídeo no se modificó: {0}',
  'Probing the file; the encoding time is known after that.':
    'Analizando el archivo; después se sabrá cuánto tardará la codificación.',
  '{0}; the encoding time is known after that.': '{0}; después se sabrá cuánto tardará la codificación.',
  'Next to be probed': 'Es el siguiente en analizarse',
  'Waiting for {0} to be probed': 'A la espera del análisis de {0}',
  '1 other video of this library': '1 vídeo más de esta biblioteca',
  '{0} other videos of this library': '{0} vídeos más de esta biblioteca',
  'Playable. {0}': 'Reproducible. {0}',
  '{0}, sharing encoders with {1}; done in about {2}.':
    '{0}; comparte los codificadores con {1}; listo en {2} aproximadamente.',
  '{0}; done in about {1}.': '{0}; listo en {1} aproximadamente.',
  '1 other library': '1 biblioteca más',
  '{0} other libraries': '{0} bibliotecas más',
  'Being encoded': 'Codificándose',
  'Its images are being finished': 'Terminando sus imágenes',
  'Next in the queue': 'Es el siguiente en la cola',
  'Waiting while its first viewers use the encoders':
    'En espera mientras sus primeros espectadores usan los codificadores',
  'Waiting for {0}': 'A la espera de {0}',
  'Almost done.': 'Casi listo.',
  'Playable; encoded on demand.': 'Reproducible; se codifica bajo demanda.',
  '1 failure': '1 intento fallido',
  '{0} failures': '{0} intentos fallidos',
  'Retried after {0}: {1}': 'Se reintenta tras {0}: {1}',
  'All planned files are stored and listed.': 'Todos los archivos previstos están almacenados y en la lista.',
  'The audio could not be encoded.': 'No se pudo codificar el audio.',
  'The audio ({0}) could not be encoded.': 'No se pudo codificar el audio ({0}).',
  'The {0} rendition could not be encoded.': 'No se pudo codificar la variante {0}.',
  '{0} is tried again after {1} failed attempts: {2}.': '{0} se reintenta tras {1} intentos fallidos: {2}.',
  'No rendition has its first segment yet, so players get no playlist.':
    'Ninguna variante tiene aún su primer segmento, así que los reproductores no reciben lista de reproducción.',
  'Players are offered {0}.': 'Los reproductores disponen de {0}.',
  'Its stored files were read and compared with their hashes in the scrub that began on {0} (UTC).':
    'Sus archivos almacenados se leyeron y compararon con sus hashes en la verificación que empezó el {0} (UTC).',
  'The scrub that began on {0} (UTC) has not reached it yet.':
    'La verificación que empezó el {0} (UTC) aún no ha llegado a este vídeo.',
  'The library requires signed URLs. An embed without a token is blocked.':
    'La biblioteca exige URL firmadas. Las inserciones sin token se bloquean.',
  'Only pages of {0} may embed it. All others are blocked.':
    'Solo las páginas de {0} pueden insertarlo. Las demás se bloquean.',
  'Pages that send no referrer (Referrer-Policy: no-referrer, some apps) are blocked.':
    'Las páginas que no envían referrer (Referrer-Policy: no-referrer, algunas aplicaciones) se bloquean.',
  'Viewers in {0} wait {1} s for the first picture (median of {2} sessions).':
    'Los espectadores de {0} esperan {1} s hasta la primera imagen (mediana de {2} sesiones).',
  'In {0}, {1} % of {2} views stalled.': 'En {0}, el {1} % de {2} sesiones sufrió interrupciones.',
  'Failures of playback in the last seven days in {0}: {1}.':
    'Fallos de reproducción en los últimos siete días en {0}: {1}.',
  'Expected {0} to have 1 to {1} characters, got {2}. Correct it.':
    '{0}: se esperaban de 1 a {1} caracteres, se recibieron {2}. Corrígelo.',
  'Expected time to be a position in the video, 0 to {0} s, got {1}. Correct it.':
    'Se esperaba una posición del vídeo de 0 a {0} s, se recibió {1}. Corrígela.',
  'Comment {0} was written by somebody else. Send a reply instead.':
    'El comentario {0} es de otra persona. Escribe una respuesta.',
  'Comment {0} was written by somebody else. Ask an editor.':
    'El comentario {0} es de otra persona. Pídelo a un editor.',
  'Comment {0} has replies of others, which would be deleted too. Set isResolved instead.':
    'El comentario {0} tiene respuestas de otros que también se eliminarían. Márcalo como resuelto.',
  'Comment {0} is a reply. Set isResolved of comment {1} instead.':
    'El comentario {0} es una respuesta. Resuelve el comentario {1}.',
  'Only its author and editors can resolve or open comment {0}. Ask one of them.':
    'Solo su autor y los editores pueden resolver o reabrir el comentario {0}. Pídeselo a uno de ellos.',
  'Comment {0} of {1} not found. Check the ids.':
    'No se encontró el comentario {0} ({1}). Puede que se haya eliminado.',
  'Comment {0} not found. It may have been deleted.': 'No se encontró el comentario {0}. Puede que se haya eliminado.',
  'Comment {0} is a reply. Send the parentId {1} instead.':
    'El comentario {0} es una respuesta. Responde al comentario {1}.',
  'The video already has {0} comments. Delete some that are not needed.':
    'El vídeo ya tiene {0} comentarios. Elimina los que sobren.',
  'an unknown country': 'un país desconocido',
  // Messages about the encoding of a video.
  'The video is incomplete: {0} could not be created. Retry the failed parts.':
    'El vídeo está incompleto: no se pudo crear {0}. Reintenta las partes fallidas.',
  '{0} could not be created: {1}': 'No se pudo crear {0}: {1}',
  '{0} of {1} seconds of the audio could not be decoded and are silent.':
    '{0} de {1} segundos del audio no se pudieron decodificar y quedan en silencio.',
  'The video is encoded as a whole and not on demand: {0}.': 'El vídeo se codifica completo y no bajo demanda: {0}.',
  'Segment {0} of {1} could not be encoded on demand: {2}':
    'El segmento {0} de {1} no se pudo codificar bajo demanda: {2}',
  '{0} was left out: it would take nearly as many bits as the resolution above it.':
    'Se omitió {0}: necesitaría casi tantos bits como la resolución superior.',
  'Segments {0} to {1} of {2} were damaged in the store and encoded again from the original.':
    'Los segmentos {0} a {1} de {2} se dañaron en el almacenamiento y se volvieron a codificar desde el original.',
  'The speech could not be transcribed: {0}': 'No se pudo transcribir la voz: {0}',
  'Texts could not be generated: {0}': 'No se pudieron generar textos: {0}',
  // Why an action was refused.
  'The video has no file yet. Upload it first.': 'El vídeo aún no tiene archivo. Súbelo primero.',
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), or set MILLRACE_TRANSCRIBER to the URL of an OpenAI-compatible service.':
    'No hay ningún motor de voz configurado. Añade un modelo con “millrace speech add NAME” (“millrace speech ' +
    'list” muestra los nombres) o asigna a MILLRACE_TRANSCRIBER la URL de un servicio compatible con OpenAI.',
  'A translation needs a language model. Set MILLRACE_LANGUAGE_MODEL_URL.':
    'La traducción necesita un modelo de lenguaje. Define MILLRACE_LANGUAGE_MODEL_URL.',
  'There are no captions to translate.': 'No hay subtítulos que traducir.',
  'The video has no captions and no audio.': 'El vídeo no tiene subtítulos ni audio.',
  'The library has no webhook URL. Set its WebhookUrl first.':
    'La biblioteca no tiene URL de webhook. Define primero su WebhookUrl.',
  'The stream has ended and cannot start again. Create another one.':
    'La transmisión ha terminado y no se puede volver a iniciar. Crea otra.',
  'Authentication has been denied for this request.': 'Se denegó la autenticación de esta solicitud.',
  'Too many wrong keys from this address. Try again in a minute, or with a valid key.':
    'Demasiadas claves incorrectas desde esta dirección. Inténtalo en un minuto o con una clave válida.',
  'The service failed to process this request. The log has the reason under the X-Request-Id of this response.':
    'El servicio no pudo procesar la solicitud. El motivo está en el registro, con el X-Request-Id de esta respuesta.',
  'Cloudflare Stream keeps no originals. Its MP4 download is imported.':
    'Cloudflare Stream no conserva los originales. Se importa su descarga MP4.',
  'Comments and playlists are not imported. Each channel becomes a collection.':
    'Los comentarios y las listas de reproducción no se importan. Cada canal se convierte en una colección.',
  'Comments, ratings and playlists are not imported.':
    'Los comentarios, las valoraciones y las listas de reproducción no se importan.',
  'Comments, showcases and player presets are not imported. Each folder becomes a collection.':
    'Los comentarios, showcases y ajustes del reproductor no se importan. Cada carpeta se convierte en una colección.',
  'Mux Data keeps views separately, so they are not imported.':
    'Mux Data guarda las visualizaciones por separado, así que no se importan.',
  'Mux has no descriptions, collections or custom thumbnails.':
    'Mux no tiene descripciones, colecciones ni miniaturas personalizadas.',
  'Images of the library are not imported.': 'Las imágenes de la biblioteca no se importan.',
  'Access keys and people are not imported. Settings, token key and host names need accountKey.':
    'Las claves de acceso y las personas no se importan. Los ajustes, la clave de tokens y los nombres de host necesitan accountKey.',
  'Statistics by country and heatmaps are not imported.':
    'Las estadísticas por país y los mapas de calor no se importan.',
  'Statistics by day and heatmaps are not imported.': 'Las estadísticas por día y los mapas de calor no se importan.',
  'Views are in a separate API and are not imported.': 'Las visualizaciones están en una API aparte y no se importan.',
  // Refusals of the API.
  'The field {0} must not have more than {1} characters, got {2}.': '{0}: como máximo {1} caracteres.',
  'The field {0} must not have fewer than {1} characters, got {2}.': '{0}: como mínimo {1} caracteres.',
  'The field {0} must be one of {1}, got {2}.': '{0}: uno de {1}, no {2}.',
  'Your role does not include the permission {0} here. Ask an owner for it.':
    'Tu rol no incluye aquí el permiso {0}. Pídeselo a un propietario.',
  'There is no library {0}. Choose another one.': 'No existe la biblioteca {0}. Elige otra.',
  "This key can only read, but {0} writes. Use the library's ApiKey.":
    'Esta clave solo permite leer, pero {0} escribe. Usa la clave de API de la biblioteca.',
  'You are not signed in as a person. Sign in first.': 'No has iniciado sesión como persona. Inicia sesión primero.',
  'This person or passkey can no longer sign in. Ask an owner of the account.':
    'Esta persona o llave de acceso ya no puede iniciar sesión. Pregunta a un propietario de la cuenta.',
  'Video {0} in the trash of library {1} not found. Check the id.':
    'El vídeo {0} no está en la papelera de la biblioteca {1}.',
  'Video {0} in library {1} not found. Check the id.':
    'No existe el vídeo {0} en la biblioteca {1}. Puede que se haya eliminado.',
  'Library {0} not found. Check the library roles.':
    'No existe la biblioteca {0}. Revisa los roles de las bibliotecas.',
  'Library {0} not found. Check the id.': 'No existe la biblioteca {0}. Puede que se haya eliminado.',
  'Collection {0} in library {1} not found. Check the id.':
    'No existe la colección {0} en la biblioteca {1}. Puede que se haya eliminado.',
  'Person {0} not found. Check the id.': 'No existe la persona {0}. Puede que se haya eliminado.',
  'Key {0} of library {1} not found. Check both ids.':
    'No existe la clave {0} de la biblioteca {1}. Puede que se haya revocado.',
  'Sign-in provider {0} not found. Check the id.':
    'No existe el proveedor de inicio de sesión {0}. Puede que se haya eliminado.',
  'Webhook endpoint {0} in library {1} not found. Check the id.':
    'No existe el endpoint de webhook {0} en la biblioteca {1}. Puede que se haya eliminado.',
  'This upload no longer exists.': 'Esta subida ya no existe.',
  'This passkey does not exist. Reload the page.': 'Esta llave de acceso no existe. Recarga la página.',
  'The library uses {0} (quota {1}), and {2} more would exceed it. {3}':
    'La biblioteca usa {0}, y {2} más superarían el límite. {3}',
  'The library uses {0} (quota {1}). {2}': 'La biblioteca ha alcanzado su límite: {0}. {2}',
  '{0} of {1} of storage': '{0} de {1} de almacenamiento',
  '{0} of {1} encoded minutes this month': '{0} de {1} minutos codificados este mes',
  '{0} of {1} live streams at the same time': '{0} de {1} transmisiones en directo simultáneas',
  '{0} of {1} sent this month': '{0} de {1} transferidos este mes',
  'Delete videos and empty the trash, or raise the limit.': 'Elimina vídeos y vacía la papelera, o aumenta el límite.',
  'End another stream, or raise the limit.': 'Termina otra transmisión o aumenta el límite.',
  'The host name {0} is already registered. Remove it from the other pull zone first.':
    'El nombre de host {0} ya está registrado. Quítalo antes de la otra zona de distribución de distribución.',
  'The video already has captions in {0} languages. Delete one first.':
    'El vídeo ya tiene subtítulos en {0} idiomas. Elimina uno primero.',
  'The video already has {0} audio tracks. Remove one first.':
    'El vídeo ya tiene {0} pistas de audio. Quita una primero.',
  'Library {0} already has {1} keys. Revoke one that is not needed.':
    'La biblioteca {0} ya tiene {1} claves. Revoca una que no se necesite.',
  'The account already has {0} people. Delete one first.': 'La cuenta ya tiene {0} personas. Elimina una primero.',
  'The account already has {0} sign-in providers. Delete one first.':
    'La cuenta ya tiene {0} proveedores de inicio de sesión. Elimina uno primero.',
  'The library already has {0} endpoints. Delete one first.':
    'La biblioteca ya tiene {0} endpoints. Elimina uno primero.',
  'The list already has {0} host names. Remove one.': 'La lista ya tiene {0} nombres de host. Quita uno.',
  '{0} already has {1} shares. Delete one that is not needed.':
    '{0} ya tiene {1} páginas para compartir. Elimina una que no se necesite.',
  'You have {0} passkeys, which is the maximum. Delete one first.':
    'Tienes {0} llaves de acceso, el máximo. Elimina una primero.',
  'Person {0} is disabled. Set Status to active first.': 'La persona está desactivada. Actívala primero.',
  'Another request still writes to this upload. Try again in a second.':
    'Otra solicitud todavía escribe en esta subida. Inténtalo de nuevo en un segundo.',
  'Another request took over this upload.': 'Otra solicitud se ha hecho cargo de esta subida.',
  'The library already has {0} waiting or running fetches. Try again later.':
    'La biblioteca ya tiene {0} descargas en curso o en espera. Inténtalo más tarde.',
  'Library {0} is already generating texts for {1} videos. Send this again later.':
    'Ya se generan textos para {1} vídeos de esta biblioteca. Inténtalo más tarde.',
  '{0} test deliveries of this library are already waiting. Try again later.':
    'Ya hay {0} envíos de prueba de esta biblioteca en espera. Inténtalo más tarde.',
  'Endpoint {0} is unknown or disabled. Check the id, or enable it.':
    'El endpoint no existe o está desactivado. Actívalo.',
  'The library has no chat webhook. Set its URL first.':
    'La biblioteca no tiene webhook de chat. Define primero su URL.',
  'This move cannot be undone. {0}': 'Este movimiento no se puede deshacer. {0}',
  'Cannot change {0} after the stream has started. Create another stream.':
    'No se puede cambiar {0} después de iniciar la transmisión. Crea otra.',
  'The stream has ended, so its key is no longer accepted. Create another one.':
    'La transmisión ha terminado y su clave ya no se acepta. Crea otra.',
  'The stream has ended and needs no key. Create another one.':
    'La transmisión ha terminado y no necesita clave. Crea otra.',
  'The stream has not started, so it cannot be stopped. Start it first, or delete it with DELETE.':
    'La transmisión no ha empezado, así que no se puede detener. Iníciala primero o elimínala.',
  'The recording of this stream is being turned into a video. Try again in a few seconds.':
    'La grabación de esta transmisión se está convirtiendo en un vídeo. Inténtalo en unos segundos.',
  'Expected a finished video, got {0} ({1}). Wait until it is finished.':
    'El vídeo aún no está listo. Espera a que termine.',
  'Expected a video that is not being encoded, got one that is {0}. Try again when it is finished.':
    'El vídeo se está codificando. Inténtalo cuando termine.',
  'The encoding of video {0} cannot be cancelled: it {1}. Check the video.':
    'La codificación no se puede cancelar: no hay ninguna en curso.',
  'The original file of video {0} is missing. Upload it to a new video.':
    'Falta el archivo original del vídeo. Súbelo como un vídeo nuevo.',
  'The audio tracks of video {0} cannot be changed now: it is waiting to be encoded. Try again later.':
    'Las pistas de audio no se pueden cambiar ahora: el vídeo espera la codificación. Inténtalo más tarde.',
  'Expected a title that no other audio track of the video has, got {0}. Choose another.':
    'Otra pista de audio ya se llama {0}. Elige otro título.',
  'The body is not valid: {0} Nothing was done. Correct the fields.':
    'Los datos no son válidos: {0} No se ha cambiado nada.',
  'Expected a title, got an empty string. Send a title.': 'El título está vacío. Escribe uno.',
  'Expected a Name of at least 1 character, got none. Send a name.': 'El nombre está vacío. Escribe uno.',
  'Expected a password of {0} to {1} characters, got {2}.':
    'La contraseña debe tener de {0} a {1} caracteres; tiene {2}.',
  'Expected an e-mail address, got "{0}". Correct it.': '“{0}” no es una dirección de correo. Corrígela.',
  'Expected url to be an http or https URL, got {0}. Correct it.': '{0} no es una URL http o https. Corrígela.',
  'Expected a URL such as https://example.com/video.mp4, got {0}.':
    '{0} no es una URL como https://example.com/vídeo.mp4.',
  'Expected a default role other than owner, because everybody would get it.':
    'El rol predeterminado no puede ser propietario, porque lo tendrían todos.',
  'Expected a domain such as example.com, got {0}.': '{0} no es un dominio como example.com.',
  'Expected another audio track of video {0} to remain, but none would. {1}':
    'El vídeo debe conservar al menos una pista de audio. {1}',
  'The host {0} is not allowed: its address is {1}.': 'El host {0} no está permitido: su dirección es {1}.',
  'The host name {0} has no address.': 'El nombre de host {0} no tiene dirección.',
  'The server could not be reached: {0}.': 'No se ha podido contactar con el servidor: {0}.',
  'The origin sent an empty file. Check the URL.': 'La URL devolvió un archivo vacío. Comprueba la URL.',
  'The origin sent {0}, which cannot be fetched: {1}.': 'La URL no devuelve un archivo multimedia ({0}).',
  'The file is an HTML page; {0}': 'El archivo es una página HTML, no un vídeo ni un audio.',
  'Expected an image of at most 8192 x 4320 pixels that can be decoded, but {0}. Send another file.':
    'La imagen no se puede leer o supera los 8192 × 4320 píxeles. Usa otro archivo.',
  'Expected a JPEG, PNG, WebP or AVIF image, got {0} bytes that begin with {1}. {2}':
    'El archivo no es una imagen JPEG, PNG, WebP o AVIF.',
  'Too many images are being processed. Send this image again in a few seconds.':
    'Se están procesando demasiadas imágenes. Inténtalo en unos segundos.',
  'Too many people are signing in at the moment. Try again in a few seconds.':
    'Hay demasiadas personas iniciando sesión. Inténtalo en unos segundos.',
  'The search took too long. Search a shorter window, or filter by ruleId.':
    'La búsqueda ha tardado demasiado. Acorta el periodo o filtra por regla.',
  'The {0} cannot be reached. As far as is known, this request changed nothing. Try again in {1} s.':
    'Una parte del servicio no responde ({0}). No se ha cambiado nada. Inténtalo en {1} s.',
  'The storage is full. Free some space and send the bytes again.':
    'El almacenamiento está lleno. Libera espacio e inténtalo de nuevo.',
  'Expected {0} bytes to remain free after an upload of {1} bytes, but only {2} are free now. {3}':
    'No hay espacio suficiente en el servidor para este archivo. Libera espacio o sube un archivo más pequeño.',
  'Line {0}: expected times such as {1}, found "{2}".': 'Línea {0}: “{2}” no es un tiempo como {1}.',
  'Line {0}: expected a cue to end after it starts.': 'Línea {0}: el subtítulo termina antes de empezar.',
  'Line {0}: expected a cue with a line "start --> end", found "{1}".':
    'Línea {0}: falta una línea “inicio --> fin”; hay “{1}”.',
  'The video frames contain captions (CEA-608 or CEA-708) that players cannot show. Extract them, for example with CCExtractor, and add them as a SubRip or WebVTT file.':
    'Los fotogramas del vídeo contienen subtítulos (CEA-608 o CEA-708) que los reproductores no pueden mostrar. Extráelos, por ejemplo con CCExtractor, y añádelos como archivo SubRip o WebVTT.',
  'The subtitles of stream {0} ({1}) are left out: they are images or in an unknown format. Add them as a SubRip or WebVTT file.':
    'Los subtítulos de la pista {0} ({1}) se omiten: son imágenes o tienen un formato desconocido. Añádelos como archivo SubRip o WebVTT.',
  'The audio of stream {0} ({1}) is left out: it cannot be decoded. Convert it to FLAC.':
    'El audio de la pista {0} ({1}) se omite: no se puede decodificar. Conviértelo a FLAC.',
  'The sound stopped: the encoder sends video but no audio, so viewers hear silence. Check its microphone or audio source.':
    'El audio se ha detenido: el codificador envía imagen pero no audio, así que los espectadores no oyen nada. Revisa su micrófono o su fuente de audio.',
  'The encoder is connected, but sends no audio or video that can be used. Check its sources and its codecs.':
    'El codificador está conectado, pero no envía audio ni vídeo utilizables. Revisa sus fuentes y códecs.',
  'The picture waits for a keyframe: expected one every 2 s, got none since the encoder connected. Set the keyframe interval of the encoder to 2 s.':
    'La imagen espera un fotograma clave: no ha llegado ninguno desde la conexión. Configura el intervalo de fotogramas clave del codificador en 2 s.',
  'Of {0} audio tracks, only the first {1} are offered.': 'De {0} pistas de audio, solo se ofrecen las primeras {1}.',
  'Of {0} subtitle tracks, only the first {1} are offered.':
    'De {0} pistas de subtítulos, solo se ofrecen las primeras {1}.',
  'Captions "{0}": {1}': 'Subtítulos “{0}”: {1}',
} as const;

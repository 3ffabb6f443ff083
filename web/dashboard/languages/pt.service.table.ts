/**
 * The service's messages about videos, in Portuguese: its English sentence with `{0}`, `{1}` … for values, which
 * are translated too. Messages without an entry are shown in English.
 */
export const service = {
  'This link was used before or has expired. Sign in with your password or a key.':
    'Este link já foi usado ou expirou. Entre com sua senha ou uma chave.',
  'You are not signed in. Sign in first.': 'Você não está conectado. Entre primeiro.',
  'E-mail address, password or code is wrong.': 'O e-mail, a senha ou o código está incorreto.',
  'This invitation was used before or has expired. Ask for a new one.':
    'Este convite já foi usado ou expirou. Peça um novo.',
  'Too many failed sign-ins. Try again in 15 minutes, or sign in with a key.':
    'Muitas tentativas de login malsucedidas. Tente de novo em 15 minutos ou entre com uma chave.',
  'This passkey cannot sign in here. Use another one, or sign in with your password.':
    'Não é possível entrar aqui com esta passkey. Use outra ou entre com sua senha.',
  'This passkey cannot be verified. Start again.': 'Não foi possível verificar esta passkey. Comece de novo.',
  'This attempt has expired or was used before. Start again.':
    'Esta tentativa expirou ou já foi usada. Comece de novo.',
  'You signed in more than 10 minutes ago. Sign out, sign in, and try again.':
    'Você entrou há mais de 10 minutos. Saia, entre de novo e repita a operação.',
  'This passkey is already in use.': 'Esta passkey já está em uso.',
  'The current password is wrong.': 'A senha atual está incorreta.',
  'Too many wrong passwords. Try again in 15 minutes.': 'Muitas senhas incorretas. Tente de novo em 15 minutos.',
  'This code is wrong. Check the clock of your device and try again.':
    'Este código está incorreto. Verifique o relógio do seu dispositivo e tente de novo.',
  'This password is too easy to guess. Choose several words, or use a password manager.':
    'Esta senha é fácil demais de adivinhar. Escolha várias palavras ou use um gerenciador de senhas.',
  'A person with this e-mail address already exists.': 'Já existe uma pessoa com este endereço de e-mail.',
  'This is the last active owner of the account. Make another person an owner first.':
    'Este é o último proprietário ativo da conta. Antes, torne outra pessoa proprietária.',
  'The sign-in provider {0} cannot be used: {1} Try again later.':
    'Não é possível usar o provedor de login {0}: {1} Tente de novo mais tarde.',
  'Too many sign-ins from this address. Try again in a minute.':
    'Muitos logins deste endereço. Tente de novo em um minuto.',
  'Only an owner of the account can add, change or remove an owner. Ask one of the owners.':
    'Só um proprietário da conta pode adicionar, alterar ou remover um proprietário. Fale com um deles.',
  // Explanations of how a video plays.
  'No file received yet. {0}': 'Nenhum arquivo recebido ainda. {0}',
  'Waiting for its file.': 'Aguardando o arquivo.',
  'Waiting for its file: the last upload failed. {0}': 'Aguardando o arquivo: o último envio falhou. {0}',
  'No reason was recorded.': 'Nenhum motivo registrado.',
  'The file is empty.': 'O arquivo está vazio.',
  'The file is not a video or audio file.': 'O arquivo não é de vídeo nem de áudio.',
  'More than a tenth of the file is missing.': 'Falta mais de um décimo do arquivo.',
  'The file has too many tracks.': 'O arquivo tem faixas demais.',
  'The picture of the file is larger than the limit.': 'A imagem do arquivo é maior que o limite.',
  'The file contains neither video nor audio.': 'O arquivo não contém vídeo nem áudio.',
  'The codec of the file is not supported.': 'O codec do arquivo não é compatível.',
  'The file is longer than the limit.': 'O arquivo é mais longo que o limite.',
  'Reading the file took too long.': 'A leitura do arquivo demorou demais.',
  'Reading the file took too much memory.': 'A leitura do arquivo usou memória demais.',
  'Its encoding was cancelled. Re-encode the video to finish it.':
    'A codificação foi cancelada. Recodifique o vídeo para concluí-lo.',
  'Its encoding was cancelled.': 'A codificação foi cancelada.',
  'Its encoding was cancelled. The video was not changed.': 'A codificação foi cancelada. O vídeo não foi alterado.',
  'Encoding it again failed, so the video was not changed: {0}':
    'A recodificação falhou, por isso o vídeo não foi alterado: {0}',
  'The new file could not be used, so the video was not changed: {0}':
    'Não foi possível usar o novo arquivo, por isso o vídeo não foi alterado: {0}',
  'Probing the file; the encoding time is known after that.':
    'Analisando o arquivo; depois disso, o tempo de codificação será conhecido.',
  '{0}; the encoding time is known after that.': '{0}; depois disso, o tempo de codificação será conhecido.',
  'Next to be probed': 'Próximo a ser analisado',
  'Waiting for {0} to be probed': 'Aguardando a análise de {0}',
  '1 other video of this library': '1 outro vídeo desta biblioteca',
  '{0} other videos of this library': '{0} outros vídeos desta biblioteca',
  'Playable. {0}': 'Já pode ser reproduzido. {0}',
  '{0}, sharing encoders with {1}; done in about {2}.':
    '{0}, dividindo os codificadores com {1}; pronto em cerca de {2}.',
  '{0}; done in about {1}.': '{0}; pronto em cerca de {1}.',
  '1 other library': '1 outra biblioteca',
  '{0} other libraries': '{0} outras bibliotecas',
  'Being encoded': 'Em codificação',
  'Its images are being finished': 'As imagens estão sendo finalizadas',
  'Next in the queue': 'Próximo da fila',
  'Waiting while its first viewers use the encoders':
    'Aguardando enquanto os primeiros espectadores usam os codificadores',
  'Waiting for {0}': 'Aguardando {0}',
  'Almost done.': 'Quase pronto.',
  'Playable; encoded on demand.': 'Já pode ser reproduzido; codificado sob demanda.',
  '1 failure': '1 falha',
  '{0} failures': '{0} falhas',
  'Retried after {0}: {1}': 'Nova tentativa após {0}: {1}',
  'All planned files are stored and listed.': 'Todos os arquivos planejados estão armazenados e listados.',
  'The audio could not be encoded.': 'Não foi possível codificar o áudio.',
  'The audio ({0}) could not be encoded.': 'Não foi possível codificar o áudio ({0}).',
  'The {0} rendition could not be encoded.': 'Não foi possível codificar a versão {0}.',
  '{0} is tried again after {1} failed attempts: {2}.': 'Nova tentativa com {0} após {1} tentativas com falha: {2}.',
  'No rendition has its first segment yet, so players get no playlist.':
    'Nenhuma versão tem ainda o primeiro segmento, por isso os players não recebem uma playlist.',
  'Players are offered {0}.': 'Disponível para os players: {0}.',
  'Its stored files were read and compared with their hashes in the scrub that began on {0} (UTC).':
    'Os arquivos armazenados foram lidos e comparados com seus hashes na verificação iniciada em {0} (UTC).',
  'The scrub that began on {0} (UTC) has not reached it yet.':
    'A verificação de integridade iniciada em {0} (UTC) ainda não chegou a este vídeo.',
  'The library requires signed URLs. An embed without a token is blocked.':
    'A biblioteca exige URLs assinadas. Incorporações sem token são bloqueadas.',
  'Only pages of {0} may embed it. All others are blocked.':
    'Só páginas de {0} podem incorporá-lo. Todas as outras são bloqueadas.',
  'Pages that send no referrer (Referrer-Policy: no-referrer, some apps) are blocked.':
    'Páginas que não enviam referrer (Referrer-Policy: no-referrer, alguns aplicativos) são bloqueadas.',
  'Viewers in {0} wait {1} s for the first picture (median of {2} sessions).':
    '{0}: os espectadores esperam {1} s pela primeira imagem (mediana de {2} sessões).',
  'In {0}, {1} % of {2} views stalled.': '{0}: em {1}% de {2} sessões houve travamentos.',
  'Failures of playback in the last seven days in {0}: {1}.': 'Falhas de reprodução nos últimos sete dias em {0}: {1}.',
  'Expected {0} to have 1 to {1} characters, got {2}. Correct it.':
    '{0}: esperados de 1 a {1} caracteres, recebidos {2}. Corrija.',
  'Expected time to be a position in the video, 0 to {0} s, got {1}. Correct it.':
    'Esperada uma posição do vídeo de 0 a {0} s, recebida {1}. Corrija.',
  'Comment {0} was written by somebody else. Send a reply instead.':
    'O comentário {0} é de outra pessoa. Escreva uma resposta.',
  'Comment {0} was written by somebody else. Ask an editor.': 'O comentário {0} é de outra pessoa. Peça a um editor.',
  'Comment {0} has replies of others, which would be deleted too. Set isResolved instead.':
    'O comentário {0} tem respostas de outras pessoas, que também seriam excluídas. Marque como resolvido.',
  'Comment {0} is a reply. Set isResolved of comment {1} instead.':
    'O comentário {0} é uma resposta. Resolva o comentário {1}.',
  'Only its author and editors can resolve or open comment {0}. Ask one of them.':
    'Só o autor e os editores podem resolver ou reabrir o comentário {0}. Peça a um deles.',
  'Comment {0} of {1} not found. Check the ids.': 'Comentário {0} ({1}) não encontrado. Talvez tenha sido excluído.',
  'Comment {0} not found. It may have been deleted.': 'Comentário {0} não encontrado. Talvez tenha sido excluído.',
  'Comment {0} is a reply. Send the parentId {1} instead.':
    'O comentário {0} é uma resposta. Responda ao comentário {1}.',
  'The video already has {0} comments. Delete some that are not needed.':
    'O vídeo já tem {0} comentários. Exclua os desnecessários.',
  'an unknown country': 'País desconhecido',
  // Messages about the encoding of a video.
  'The video is incomplete: {0} could not be created. Retry the failed parts.':
    'O vídeo está incompleto: não foi possível criar {0}. Refaça as partes com falha.',
  '{0} could not be created: {1}': 'Não foi possível criar {0}: {1}',
  '{0} of {1} seconds of the audio could not be decoded and are silent.':
    '{0} de {1} segundos do áudio não puderam ser decodificados e ficaram sem som.',
  'The video is encoded as a whole and not on demand: {0}.':
    'O vídeo é codificado por inteiro, e não sob demanda: {0}.',
  'Segment {0} of {1} could not be encoded on demand: {2}':
    'Não foi possível codificar sob demanda o segmento {0} de {1}: {2}',
  '{0} was left out: it would take nearly as many bits as the resolution above it.':
    '{0} ficou de fora: usaria quase tantos bits quanto a resolução acima.',
  'Segments {0} to {1} of {2} were damaged in the store and encoded again from the original.':
    'Os segmentos {0} a {1} de {2} estavam danificados no armazenamento e foram recodificados a partir do original.',
  'The speech could not be transcribed: {0}': 'Não foi possível transcrever a fala: {0}',
  'Texts could not be generated: {0}': 'Não foi possível gerar textos: {0}',
  // Why an action was refused.
  'The video has no file yet. Upload it first.': 'O vídeo ainda não tem arquivo. Envie um primeiro.',
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), or set MILLRACE_TRANSCRIBER to the URL of an OpenAI-compatible service.':
    'Nenhum reconhecimento de fala está configurado. Adicione um modelo com “millrace speech add NAME” (“millrace ' +
    'speech list” mostra os nomes) ou defina MILLRACE_TRANSCRIBER com a URL de um serviço compatível com OpenAI.',
  'A translation needs a language model. Set MILLRACE_LANGUAGE_MODEL_URL.':
    'Traduções precisam de um modelo de linguagem. Defina MILLRACE_LANGUAGE_MODEL_URL.',
  'There are no captions to translate.': 'Não há legendas para traduzir.',
  'The video has no captions and no audio.': 'O vídeo não tem legendas nem áudio.',
  'The library has no webhook URL. Set its WebhookUrl first.':
    'A biblioteca não tem URL de webhook. Defina primeiro a WebhookUrl dela.',
  'The stream has ended and cannot start again. Create another one.':
    'A transmissão terminou e não pode ser reiniciada. Crie outra.',
  'Authentication has been denied for this request.': 'A chave desta requisição não foi aceita.',
  'Too many wrong keys from this address. Try again in a minute, or with a valid key.':
    'Muitas chaves incorretas deste endereço. Tente de novo em um minuto ou com uma chave válida.',
  'The service failed to process this request. The log has the reason under the X-Request-Id of this response.':
    'O serviço não conseguiu processar esta requisição. O motivo está no log, sob o X-Request-Id desta resposta.',
  'Cloudflare Stream keeps no originals. Its MP4 download is imported.':
    'O Cloudflare Stream não guarda originais. O download em MP4 é importado.',
  'Comments and playlists are not imported. Each channel becomes a collection.':
    'Comentários e playlists não são importados. Cada canal vira uma coleção.',
  'Comments, ratings and playlists are not imported.': 'Comentários, avaliações e playlists não são importados.',
  'Comments, showcases and player presets are not imported. Each folder becomes a collection.':
    'Comentários, showcases e predefinições do player não são importados. Cada pasta vira uma coleção.',
  'Mux Data keeps views separately, so they are not imported.':
    'O Mux Data guarda as visualizações à parte, por isso elas não são importadas.',
  'Mux has no descriptions, collections or custom thumbnails.':
    'O Mux não tem descrições, coleções nem miniaturas personalizadas.',
  'Images of the library are not imported.': 'As imagens da biblioteca não são importadas.',
  'Access keys and people are not imported. Settings, token key and host names need accountKey.':
    'As chaves de acesso e as pessoas não são importadas. Configurações, chave de tokens e nomes de host exigem accountKey.',
  'Statistics by country and heatmaps are not imported.':
    'As estatísticas por país e os mapas de calor não são importados.',
  'Statistics by day and heatmaps are not imported.': 'Estatísticas por dia e mapas de calor não são importados.',
  'Views are in a separate API and are not imported.':
    'As visualizações ficam em uma API separada e não são importadas.',
  // Refusals of the API.
  'The field {0} must not have more than {1} characters, got {2}.': '{0}: no máximo {1} caracteres.',
  'The field {0} must not have fewer than {1} characters, got {2}.': '{0}: no mínimo {1} caracteres.',
  'The field {0} must be one of {1}, got {2}.': '{0}: um destes valores: {1}, não {2}.',
  'Your role does not include the permission {0} here. Ask an owner for it.':
    'A sua função não inclui a permissão {0} aqui. Peça-a a um proprietário.',
  'There is no library {0}. Choose another one.': 'A biblioteca {0} não existe. Escolha outra.',
  "This key can only read, but {0} writes. Use the library's ApiKey.":
    'Esta chave só permite leitura, mas {0} grava. Use a chave de API da biblioteca.',
  'You are not signed in as a person. Sign in first.': 'Você não entrou como pessoa. Entre primeiro.',
  'This person or passkey can no longer sign in. Ask an owner of the account.':
    'Esta pessoa ou passkey não pode mais entrar. Fale com um proprietário da conta.',
  'Video {0} in the trash of library {1} not found. Check the id.':
    'O vídeo {0} não está na lixeira da biblioteca {1}.',
  'Video {0} in library {1} not found. Check the id.':
    'O vídeo {0} não existe na biblioteca {1}. Talvez tenha sido excluído.',
  'Library {0} not found. Check the library roles.':
    'A biblioteca {0} não existe. Verifique as funções nas bibliotecas.',
  'Library {0} not found. Check the id.': 'A biblioteca {0} não existe. Talvez tenha sido excluída.',
  'Collection {0} in library {1} not found. Check the id.':
    'A coleção {0} não existe na biblioteca {1}. Talvez tenha sido excluída.',
  'Person {0} not found. Check the id.': 'A pessoa {0} não existe. Talvez tenha sido excluída.',
  'Key {0} of library {1} not found. Check both ids.':
    'A chave {0} não existe na biblioteca {1}. Talvez tenha sido revogada.',
  'Sign-in provider {0} not found. Check the id.': 'O provedor de login {0} não existe. Talvez tenha sido excluído.',
  'Webhook endpoint {0} in library {1} not found. Check the id.':
    'O endpoint de webhook {0} não existe na biblioteca {1}. Talvez tenha sido excluído.',
  'This upload no longer exists.': 'Este envio não existe mais.',
  'This passkey does not exist. Reload the page.': 'Esta passkey não existe. Recarregue a página.',
  'The library uses {0} (quota {1}), and {2} more would exceed it. {3}':
    'A biblioteca usa {0}, e mais {2} ultrapassariam o limite. {3}',
  'The library uses {0} (quota {1}). {2}': 'A biblioteca atingiu o limite: {0}. {2}',
  '{0} of {1} of storage': '{0} de {1} de armazenamento',
  '{0} of {1} encoded minutes this month': '{0} de {1} minutos codificados neste mês',
  '{0} of {1} live streams at the same time': '{0} de {1} transmissões simultâneas',
  '{0} of {1} sent this month': '{0} de {1} transferidos neste mês',
  'Delete videos and empty the trash, or raise the limit.': 'Exclua vídeos e esvazie a lixeira, ou aumente o limite.',
  'End another stream, or raise the limit.': 'Encerre outra transmissão ou aumente o limite.',
  'The host name {0} is already registered. Remove it from the other pull zone first.':
    'O nome de host {0} já está registrado. Remova-o primeiro da outra pull zone.',
  'The video already has captions in {0} languages. Delete one first.':
    'O vídeo já tem legendas em {0} idiomas. Exclua um primeiro.',
  'The video already has {0} audio tracks. Remove one first.':
    'O vídeo já tem {0} faixas de áudio. Remova uma primeiro.',
  'Library {0} already has {1} keys. Revoke one that is not needed.':
    'A biblioteca {0} já tem {1} chaves. Revogue uma que não seja necessária.',
  'The account already has {0} people. Delete one first.': 'A conta já tem {0} pessoas. Exclua uma primeiro.',
  'The account already has {0} sign-in providers. Delete one first.':
    'A conta já tem {0} provedores de login. Exclua um primeiro.',
  'The library already has {0} endpoints. Delete one first.': 'A biblioteca já tem {0} endpoints. Exclua um primeiro.',
  'The list already has {0} host names. Remove one.': 'A lista já tem {0} nomes de host. Remova um.',
  '{0} already has {1} shares. Delete one that is not needed.':
    '{0} já tem {1} páginas de compartilhamento. Exclua uma que não seja necessária.',
  'You have {0} passkeys, which is the maximum. Delete one first.':
    'Você tem {0} passkeys, o máximo. Exclua uma primeiro.',
  'Person {0} is disabled. Set Status to active first.': 'A pessoa está desativada. Ative-a primeiro.',
  'Another request still writes to this upload. Try again in a second.':
    'Outra requisição ainda grava neste envio. Tente de novo em um segundo.',
  'Another request took over this upload.': 'Outra requisição assumiu este envio.',
  'The library already has {0} waiting or running fetches. Try again later.':
    'A biblioteca já tem {0} buscas em andamento ou na fila. Tente mais tarde.',
  'Library {0} is already generating texts for {1} videos. Send this again later.':
    'Já estão sendo gerados textos para {1} vídeos desta biblioteca. Tente mais tarde.',
  '{0} test deliveries of this library are already waiting. Try again later.':
    '{0} entregas de teste desta biblioteca já estão na fila. Tente mais tarde.',
  'Endpoint {0} is unknown or disabled. Check the id, or enable it.':
    'O endpoint é desconhecido ou está desativado. Ative-o.',
  'The library has no chat webhook. Set its URL first.': 'A biblioteca não tem webhook de chat. Defina a URL primeiro.',
  'This move cannot be undone. {0}': 'Esta mudança não pode ser desfeita. {0}',
  'Cannot change {0} after the stream has started. Create another stream.':
    'Não é possível alterar {0} depois do início da transmissão. Crie outra.',
  'The stream has ended, so its key is no longer accepted. Create another one.':
    'A transmissão terminou e a chave não é mais aceita. Crie outra.',
  'The stream has ended and needs no key. Create another one.':
    'A transmissão terminou e não precisa de chave. Crie outra.',
  'The stream has not started, so it cannot be stopped. Start it first, or delete it with DELETE.':
    'A transmissão não começou, então não pode ser parada. Inicie-a primeiro ou exclua-a.',
  'The recording of this stream is being turned into a video. Try again in a few seconds.':
    'A gravação desta transmissão está sendo convertida em vídeo. Tente em alguns segundos.',
  'Expected a finished video, got {0} ({1}). Wait until it is finished.':
    'O vídeo ainda não está pronto. Espere terminar.',
  'Expected a video that is not being encoded, got one that is {0}. Try again when it is finished.':
    'O vídeo está sendo codificado. Tente quando terminar.',
  'The encoding of video {0} cannot be cancelled: it {1}. Check the video.':
    'A codificação não pode ser cancelada: não há nenhuma em andamento.',
  'The original file of video {0} is missing. Upload it to a new video.':
    'Falta o arquivo original do vídeo. Envie-o como um novo vídeo.',
  'The audio tracks of video {0} cannot be changed now: it is waiting to be encoded. Try again later.':
    'As faixas de áudio não podem ser alteradas agora: o vídeo aguarda a codificação. Tente mais tarde.',
  'Expected a title that no other audio track of the video has, got {0}. Choose another.':
    'Outra faixa de áudio já se chama {0}. Escolha outro título.',
  'The body is not valid: {0} Nothing was done. Correct the fields.':
    'Os dados não são válidos: {0} Nada foi alterado.',
  'Expected a title, got an empty string. Send a title.': 'O título está vazio. Digite um.',
  'Expected a Name of at least 1 character, got none. Send a name.': 'O nome está vazio. Digite um.',
  'Expected a password of {0} to {1} characters, got {2}.': 'A senha deve ter de {0} a {1} caracteres; tem {2}.',
  'Expected an e-mail address, got "{0}". Correct it.': '“{0}” não é um endereço de e-mail. Corrija-o.',
  'Expected url to be an http or https URL, got {0}. Correct it.': '{0} não é uma URL http ou https. Corrija-a.',
  'Expected a URL such as https://example.com/video.mp4, got {0}.':
    '{0} não é uma URL como https://example.com/video.mp4.',
  'Expected a default role other than owner, because everybody would get it.':
    'A função padrão não pode ser proprietário, pois todos a receberiam.',
  'Expected a domain such as example.com, got {0}.': '{0} não é um domínio como example.com.',
  'Expected another audio track of video {0} to remain, but none would. {1}':
    'O vídeo deve manter pelo menos uma faixa de áudio. {1}',
  'The host {0} is not allowed: its address is {1}.': 'O host {0} não é permitido: o endereço é {1}.',
  'The host name {0} has no address.': 'O nome de host {0} não tem endereço.',
  'The server could not be reached: {0}.': 'Não foi possível acessar o servidor: {0}.',
  'The origin sent an empty file. Check the URL.': 'A URL retornou um arquivo vazio. Verifique a URL.',
  'The origin sent {0}, which cannot be fetched: {1}.': 'A URL não retorna um arquivo de mídia ({0}).',
  'The file is an HTML page; {0}': 'O arquivo é uma página HTML, não um vídeo nem um áudio.',
  'Expected an image of at most 8192 x 4320 pixels that can be decoded, but {0}. Send another file.':
    'A imagem não pode ser lida ou passa de 8192 × 4320 pixels. Use outro arquivo.',
  'Expected a JPEG, PNG, WebP or AVIF image, got {0} bytes that begin with {1}. {2}':
    'O arquivo não é uma imagem JPEG, PNG, WebP ou AVIF.',
  'Too many images are being processed. Send this image again in a few seconds.':
    'Há imagens demais em processamento. Tente em alguns segundos.',
  'Too many people are signing in at the moment. Try again in a few seconds.':
    'Há pessoas demais entrando agora. Tente em alguns segundos.',
  'The search took too long. Search a shorter window, or filter by ruleId.':
    'A busca demorou demais. Reduza o período ou filtre por regra.',
  'The {0} cannot be reached. As far as is known, this request changed nothing. Try again in {1} s.':
    'Uma parte do serviço não responde ({0}). Nada foi alterado. Tente em {1} s.',
  'The storage is full. Free some space and send the bytes again.':
    'O armazenamento está cheio. Libere espaço e tente de novo.',
  'Expected {0} bytes to remain free after an upload of {1} bytes, but only {2} are free now. {3}':
    'Não há espaço no servidor para este arquivo. Libere espaço ou envie um arquivo menor.',
  'Line {0}: expected times such as {1}, found "{2}".': 'Linha {0}: “{2}” não é um tempo como {1}.',
  'Line {0}: expected a cue to end after it starts.': 'Linha {0}: a legenda termina antes de começar.',
  'Line {0}: expected a cue with a line "start --> end", found "{1}".':
    'Linha {0}: falta uma linha “início --> fim”; encontrado: “{1}”.',
  'The video frames contain captions (CEA-608 or CEA-708) that players cannot show. Extract them, for example with CCExtractor, and add them as a SubRip or WebVTT file.':
    'Os quadros do vídeo contêm legendas (CEA-608 ou CEA-708) que os players não conseguem mostrar. Extraia-as, por exemplo com o CCExtractor, e adicione-as como arquivo SubRip ou WebVTT.',
  'The subtitles of stream {0} ({1}) are left out: they are images or in an unknown format. Add them as a SubRip or WebVTT file.':
    'As legendas da faixa {0} ({1}) foram omitidas: são imagens ou têm um formato desconhecido. Adicione-as como arquivo SubRip ou WebVTT.',
  'The audio of stream {0} ({1}) is left out: it cannot be decoded. Convert it to FLAC.':
    'O áudio da faixa {0} ({1}) foi omitido: não pode ser decodificado. Converta-o para FLAC.',
  'The sound stopped: the encoder sends video but no audio, so viewers hear silence. Check its microphone or audio source.':
    'O áudio parou: o codificador envia imagem, mas não áudio, então os espectadores não ouvem nada. Verifique o microfone ou a fonte de áudio.',
  'The encoder is connected, but sends no audio or video that can be used. Check its sources and its codecs.':
    'O codificador está conectado, mas não envia áudio nem vídeo utilizáveis. Verifique as fontes e os codecs.',
  'The picture waits for a keyframe: expected one every 2 s, got none since the encoder connected. Set the keyframe interval of the encoder to 2 s.':
    'A imagem espera um quadro-chave: nenhum chegou desde a conexão. Defina o intervalo de quadros-chave do codificador como 2 s.',
  'Of {0} audio tracks, only the first {1} are offered.':
    'De {0} faixas de áudio, apenas as primeiras {1} são oferecidas.',
  'Of {0} subtitle tracks, only the first {1} are offered.':
    'De {0} faixas de legendas, apenas as primeiras {1} são oferecidas.',
  'Captions "{0}": {1}': 'Legendas “{0}”: {1}',
} as const;

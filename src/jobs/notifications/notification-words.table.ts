import type { NotificationEvent, NotificationLanguage } from '../../catalog/notifications/notification.ts';

/** Texts of messages in one language. `{0}` and `{1}` are replaced by names and numbers. */
export type NotificationWords = {
  /** `{0}` is the title; for quotas, the library, and `{1}` the resource. */
  sentences: Record<NotificationEvent, string>;
  /** A title in quotation marks, in plain text. */
  quoted: string;
  /** A label and its number. */
  count: string;
  /** Labels before a number. */
  labels: Record<NotificationEvent, string>;
  resources: Record<string, string>;
  /** Text of the link to the object of a single event. */
  open: string;
  /** After the named events. */
  more: string;
  /** Before the link to the choices. */
  footer: string;
  /** A test of the chat; `{0}` is the library. */
  test: string;
};

export const NOTIFICATION_WORDS: Readonly<Record<NotificationLanguage, NotificationWords>> = {
  en: {
    count: '{0}: {1}',
    quoted: '“{0}”',
    sentences: {
      ready: '{0} is ready.',
      failed: '{0} failed.',
      live: '{0} is live.',
      quota: 'The library {0} has reached its quota: {1}.',
    },
    labels: {
      ready: 'Videos ready',
      failed: 'Videos failed',
      live: 'Live streams started',
      quota: 'Quotas reached',
    },
    resources: {
      storageBytes: 'storage',
      encodedMinutesPerMonth: 'encoded minutes per month',
      concurrentLiveStreams: 'simultaneous live streams',
      concurrentViewers: 'simultaneous viewers',
      bandwidthBytesPerMonth: 'bandwidth per month',
    },
    open: 'Open in the dashboard',
    more: 'and {0} more',
    footer: 'You chose this e-mail in your account. To stop it, change your choice there:',
    test: 'Test message for the library {0}. Notifications will appear here.',
  },
  de: {
    count: '{0}: {1}',
    quoted: '„{0}“',
    sentences: {
      ready: '{0} ist fertig.',
      failed: '{0} ist fehlgeschlagen.',
      live: '{0} ist live.',
      quota: 'Die Bibliothek {0} hat ihr Limit erreicht: {1}.',
    },
    labels: {
      ready: 'Fertige Videos',
      failed: 'Fehlgeschlagene Videos',
      live: 'Gestartete Livestreams',
      quota: 'Erreichte Limits',
    },
    resources: {
      storageBytes: 'Speicher',
      encodedMinutesPerMonth: 'encodierte Minuten pro Monat',
      concurrentLiveStreams: 'gleichzeitige Livestreams',
      concurrentViewers: 'gleichzeitige Zuschauer',
      bandwidthBytesPerMonth: 'Datenvolumen pro Monat',
    },
    open: 'Im Dashboard öffnen',
    more: 'und {0} weitere',
    footer: 'Du hast diese E-Mail in deinem Konto ausgewählt. Abbestellen kannst du sie dort:',
    test: 'Testnachricht für die Bibliothek {0}. Benachrichtigungen erscheinen hier.',
  },
  es: {
    count: '{0}: {1}',
    quoted: '“{0}”',
    sentences: {
      ready: '{0} está listo.',
      failed: '{0} ha fallado.',
      live: '{0} está en directo.',
      quota: 'La biblioteca {0} ha alcanzado su límite: {1}.',
    },
    labels: {
      ready: 'Vídeos listos',
      failed: 'Vídeos fallidos',
      live: 'Transmisiones en directo iniciadas',
      quota: 'Límites alcanzados',
    },
    resources: {
      storageBytes: 'almacenamiento',
      encodedMinutesPerMonth: 'minutos codificados al mes',
      concurrentLiveStreams: 'transmisiones en directo simultáneas',
      concurrentViewers: 'espectadores simultáneos',
      bandwidthBytesPerMonth: 'ancho de banda al mes',
    },
    open: 'Abrir en el panel',
    more: 'y {0} más',
    footer: 'Elegiste este correo en tu cuenta. Para dejar de recibirlo, cambia tu elección allí:',
    test: 'Mensaje de prueba de la biblioteca {0}. Las notificaciones aparecerán aquí.',
  },
  fr: {
    count: '{0} : {1}',
    quoted: '« {0} »',
    sentences: {
      ready: '{0} est prête.',
      failed: '{0} a échoué.',
      live: '{0} est en direct.',
      quota: 'La bibliothèque {0} a atteint sa limite : {1}.',
    },
    labels: {
      ready: 'Vidéos prêtes',
      failed: 'Vidéos en échec',
      live: 'Directs démarrés',
      quota: 'Limites atteintes',
    },
    resources: {
      storageBytes: 'stockage',
      encodedMinutesPerMonth: 'minutes encodées par mois',
      concurrentLiveStreams: 'directs simultanés',
      concurrentViewers: 'spectateurs simultanés',
      bandwidthBytesPerMonth: 'bande passante par mois',
    },
    open: 'Ouvrir dans le tableau de bord',
    more: 'et {0} de plus',
    footer: 'Vous avez choisi cet e-mail dans votre compte. Pour ne plus le recevoir, modifiez ce choix :',
    test: 'Message de test pour la bibliothèque {0}. Les notifications apparaîtront ici.',
  },
  pt: {
    count: '{0}: {1}',
    quoted: '“{0}”',
    sentences: {
      ready: '{0} está pronto.',
      failed: '{0} falhou.',
      live: '{0} está ao vivo.',
      quota: 'A biblioteca {0} atingiu o limite: {1}.',
    },
    labels: {
      ready: 'Vídeos prontos',
      failed: 'Vídeos com falha',
      live: 'Transmissões iniciadas',
      quota: 'Limites atingidos',
    },
    resources: {
      storageBytes: 'armazenamento',
      encodedMinutesPerMonth: 'minutos codificados por mês',
      concurrentLiveStreams: 'transmissões simultâneas',
      concurrentViewers: 'espectadores simultâneos',
      bandwidthBytesPerMonth: 'largura de banda por mês',
    },
    open: 'Abrir no painel',
    more: 'e mais {0}',
    footer: 'Você escolheu este e-mail na sua conta. Para deixar de recebê-lo, altere a escolha lá:',
    test: 'Mensagem de teste da biblioteca {0}. As notificações aparecerão aqui.',
  },
  ja: {
    count: '{0}：{1}',
    quoted: '「{0}」',
    sentences: {
      ready: '{0}の準備ができました。',
      failed: '{0}の処理に失敗しました。',
      live: '{0}の配信が始まりました。',
      quota: 'ライブラリ{0}が上限に達しました：{1}',
    },
    labels: {
      ready: '準備ができた動画',
      failed: '失敗した動画',
      live: '始まったライブ配信',
      quota: '達した上限',
    },
    resources: {
      storageBytes: 'ストレージ',
      encodedMinutesPerMonth: '1か月のエンコード時間（分）',
      concurrentLiveStreams: '同時ライブ配信数',
      concurrentViewers: '同時視聴者数',
      bandwidthBytesPerMonth: '1か月の転送量',
    },
    open: 'ダッシュボードで開く',
    more: 'ほか{0}件',
    footer:
      'このメールは、アカウントで選択されたため送信されています。停止するには、次のページで選択を変更してください：',
    test: 'ライブラリ「{0}」のテストメッセージです。通知はここに表示されます。',
  },
};

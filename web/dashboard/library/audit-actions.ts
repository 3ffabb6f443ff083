/** Groups of operations, each with a sentence per operation. The groups are the filter of the audit log. */
export const ACTIONS: readonly { label: string; operations: Readonly<Record<string, string>> }[] = [
  {
    label: 'Videos',
    operations: {
      createVideo: 'Created a video',
      uploadVideo: 'Uploaded a file',
      fetchVideo: 'Fetched a video from a URL',
      fetchIntoVideo: 'Fetched a file from a URL',
      updateVideo: 'Changed a video',
      replaceFile: 'Replaced the file of a video',
      deleteVideo: 'Deleted a video',
      restoreVideo: 'Restored a video from the trash',
      deleteTrashedVideo: 'Deleted a video from the trash',
      setThumbnail: 'Changed a thumbnail',
      addCaption: 'Added or changed captions',
      deleteCaption: 'Deleted captions',
      transcribeVideo: 'Requested a transcription',
      cancelTranscription: 'Cancelled a transcription',
      smartGenerate: 'Requested texts generated from speech',
      putAudioTrack: 'Added an audio track',
      updateAudioTrack: 'Changed an audio track',
      deleteAudioTrack: 'Deleted an audio track',
      composeVideos: 'Made a clip',
      reencodeVideo: 'Encoded a video again',
      repackageVideo: 'Packaged a video again',
      addOutputCodec: 'Added a codec to a video',
      cleanResolutions: 'Removed resolutions of a video',
      retryResolutions: 'Retried failed parts of a video',
      retryIncomplete: 'Retried failed parts of all videos',
      cancelEncode: 'Cancelled an encode',
      createBulk: 'Changed several videos',
    },
  },
  {
    label: 'Share pages',
    operations: {
      createShare: 'Created a share page',
      updateShare: 'Changed a share page',
      deleteShare: 'Deleted a share page',
      createComment: 'Added a review comment',
      updateComment: 'Changed a review comment',
      deleteComment: 'Deleted a review comment',
      createCollectionShare: 'Created a share page of a collection',
      updateCollectionShare: 'Changed a share page of a collection',
      deleteCollectionShare: 'Deleted a share page of a collection',
    },
  },
  {
    label: 'Collections',
    operations: {
      createCollection: 'Created a collection',
      updateCollection: 'Changed a collection',
      deleteCollection: 'Deleted a collection',
      updateFeed: 'Changed the feeds of a collection',
      updateVideoOrder: 'Changed the order of a collection',
    },
  },
  {
    label: 'Live',
    operations: {
      createLiveStream: 'Created a live stream',
      updateLiveStream: 'Changed a live stream',
      deleteLiveStream: 'Deleted a live stream',
      startLiveStream: 'Started a live stream',
      stopLiveStream: 'Ended a live stream',
      regenerateStreamKey: 'Replaced a stream key',
      setLiveThumbnail: 'Changed the thumbnail of a live stream',
      deleteLiveThumbnail: 'Removed the thumbnail of a live stream',
      putLiveWatermark: 'Changed the watermark of live streams',
      deleteLiveWatermark: 'Removed the watermark of live streams',
      putLiveDefaultThumbnail: 'Changed the thumbnail of new live streams',
      deleteLiveDefaultThumbnail: 'Removed the thumbnail of new live streams',
    },
  },
  {
    label: 'Import',
    operations: {
      createImport: 'Started an import',
      cancelImport: 'Cancelled an import',
      resumeImport: 'Resumed an import',
    },
  },
  {
    label: 'Export',
    operations: {
      createExport: 'Started an export',
      cancelExport: 'Cancelled an export',
      resumeExport: 'Resumed an export',
    },
  },
  {
    label: 'Settings',
    operations: {
      createLibrary: 'Created the library',
      updateLibrary: 'Changed settings of the library',
      deleteLibrary: 'Deleted the library',
      updateLibrarySound: 'Changed sound settings',
      updateQuotas: 'Changed quotas',
      updateViewerAccess: 'Changed viewer access',
      putLogo: 'Changed the logo',
      deleteLogo: 'Removed the logo',
      putWatermark: 'Changed the watermark',
      deleteWatermark: 'Removed the watermark',
      updateStorageZone: 'Changed the storage zone',
    },
  },
  {
    label: 'Keys',
    operations: {
      createKey: 'Created a key',
      deleteKey: 'Revoked a key',
      resetApiKey: 'Reset the API key',
      resetApiKeyByQuery: 'Reset the API key',
      resetReadOnlyApiKey: 'Reset the read-only key',
      resetReadOnlyApiKeyByQuery: 'Reset the read-only key',
    },
  },
  {
    label: 'Rules',
    operations: {
      updatePullZone: 'Changed rules of the pull zone',
      resetSecurityKey: 'Replaced the security key of the pull zone',
      addZoneAllowedReferrer: 'Allowed a domain',
      addAllowedReferrer: 'Allowed a domain',
      removeZoneAllowedReferrer: 'Removed an allowed domain',
      removeAllowedReferrer: 'Removed an allowed domain',
      addZoneBlockedReferrer: 'Blocked a domain',
      addBlockedReferrer: 'Blocked a domain',
      removeZoneBlockedReferrer: 'Removed a blocked domain',
      removeBlockedReferrer: 'Removed a blocked domain',
      addBlockedIp: 'Blocked an IP address',
      removeBlockedIp: 'Removed a blocked IP address',
      addHostname: 'Added a host name',
      removeHostname: 'Removed a host name',
      purgeCache: 'Emptied the cache',
      updateShieldZone: 'Changed the firewall',
      explainRequest: 'Tested a URL against the rules',
    },
  },
  {
    label: 'Webhooks',
    operations: {
      createWebhookEndpoint: 'Added a webhook endpoint',
      updateWebhookEndpoint: 'Changed a webhook endpoint',
      deleteWebhookEndpoint: 'Deleted a webhook endpoint',
      testWebhook: 'Sent a test to a webhook endpoint',
      resendWebhookEvent: 'Sent a webhook delivery again',
      updateChatWebhook: 'Changed the chat webhook',
      deleteChatWebhook: 'Deleted the chat webhook',
      testChatWebhook: 'Sent a test to the chat',
    },
  },
];

/** Sentences of operations that only the audit log of the account contains. */
const ACCOUNT_OPERATIONS: Readonly<Record<string, string>> = {
  signIn: 'Signed in',
  signOut: 'Signed out',
  endOwnSession: 'Ended one of their own sessions',
  endOwnSessions: 'Ended their other sessions',
  endPersonSessions: 'Ended the sessions of a person',
  endSessionsByProvider: 'Sessions ended by the sign-in provider',
  invitePerson: 'Invited a person',
  invitePersonAgain: 'Invited a person again',
  joinAccount: 'Accepted the invitation',
  updatePerson: 'Changed a person',
  deletePerson: 'Deleted a person',
  updateOwnAccount: 'Changed their own account',
  updateOwnNotifications: 'Changed their own notifications',
  changeOwnPassword: 'Changed their own password',
  setOwnTotp: 'Turned on the second factor',
  removeOwnTotp: 'Turned off the second factor',
  addOwnPasskey: 'Added a passkey',
  renameOwnPasskey: 'Renamed a passkey',
  removeOwnPasskey: 'Removed a passkey',
  createPersonBySignIn: 'Created by the first sign-in with a provider',
  linkPersonBySignIn: 'Linked to a sign-in provider',
  changeRolesBySignIn: 'Roles changed by the sign-in provider',
  createSignInProvider: 'Added a sign-in provider',
  updateSignInProvider: 'Changed a sign-in provider',
  deleteSignInProvider: 'Deleted a sign-in provider',
  createPullZone: 'Created a pull zone',
  deletePullZone: 'Deleted a pull zone',
  addCertificate: 'Added a certificate',
  removeCertificate: 'Removed a certificate',
  setForceSsl: 'Changed the redirect to https',
  drainNode: 'Drained a node',
};

const SENTENCES: Readonly<Record<string, string>> = Object.assign(
  {},
  ACCOUNT_OPERATIONS,
  ...ACTIONS.map(({ operations }) => operations),
);

/** Returns the sentence of an operation. For an operation without one, the words of its name. */
export function actionOf(operation: string): string {
  const sentence = Object.hasOwn(SENTENCES, operation) ? SENTENCES[operation] : undefined;
  if (sentence !== undefined) return sentence;
  return wordsOf(operation);
}

/** Returns the words of a name in camel case. Words in capitals such as `DRM` stay. */
export function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .replaceAll('.', ' ')
    .split(' ')
    .map((word) => (/^[A-Z0-9]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Tabs at once; one more is closed as it opens. */
export const maxTabs = 10;
/** Text of one result, in characters; the rest is cut and counted. */
export const maxResultChars = 100_000;
export const maxPictureChars = 8 * 1024 * 1024;
export const actionMs = 10_000;
export const navigationMs = 30_000;
export const settleMs = 1_000;
/** One call in all; then its tab is closed. */
export const callMs = 90_000;
/** How long a cancelled call may take to end. */
export const endMs = 1_000;
/** How often a call that takes long says that it is under way. */
export const progressEveryMs = 10_000;
/** A browser that no call has used for so long is closed. */
export const idleMs = 60 * 60_000;
/** Console messages of one tab; then the tab is closed. */
export const maxConsoleMessages = 5_000;
export const maxDownloadBytes = 64 * 1024 * 1024;
/** Downloads that are kept aside; then the oldest goes. */
export const maxDownloads = 10;
/** How often a running download is weighed. */
export const sizeCheckMs = 250;
export const maxUploadBytes = 64 * 1024 * 1024;
export const maxUploadFiles = 20;
export const minSide = 100;
export const maxSide = 4_000;
/** Text that is typed or filled in, in characters. */
export const maxTypedChars = 100_000;
export const maxUrlChars = 8_192;
export const maxBlockedNamed = 5;

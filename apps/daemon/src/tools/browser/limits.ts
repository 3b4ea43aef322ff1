/** Tabs at once; one more is closed as it opens. */
export const maxTabs = 10;
/** Text of one result, in characters; the rest is cut and counted. */
export const maxResultChars = 100_000;
/** A picture in a result, as base64. */
export const maxPictureChars = 8 * 1024 * 1024;
/** One click, text or wait for an element. */
export const actionMs = 10_000;
/** Until a page has been read and built. */
export const navigationMs = 30_000;
/** After a page was stopped. */
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
/** One download. */
export const maxDownloadBytes = 64 * 1024 * 1024;
/** Downloads that are kept aside; then the oldest goes. */
export const maxDownloads = 10;
/** How often a running download is weighed. */
export const weighEveryMs = 250;
/** Files of one upload, together. */
export const maxUploadBytes = 64 * 1024 * 1024;
export const maxUploadFiles = 20;
/** Side of the page, in CSS pixels. */
export const minSide = 100;
export const maxSide = 4_000;
/** Text that is typed or filled in, in characters. */
export const maxTypedChars = 100_000;
export const maxUrlChars = 8_192;
/** Pages that a call was kept from and that its result names. */
export const maxBlockedNamed = 5;

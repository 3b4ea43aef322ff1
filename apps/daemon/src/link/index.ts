export { createCalls, type CallOutcome, type CallReport, type Dispatch } from './calls.ts';
export type { Ending } from './connection.ts';
export { createHttp } from './http.ts';
export { createLink, type KeyHolder, type LinkReport } from './link.ts';
export { createOutbox, largeLength } from './outbox.ts';
export { createServerApi } from './server-api.ts';
export { createSessionFile, type SessionFile } from './session-file.ts';
export { openStream } from './stream.ts';

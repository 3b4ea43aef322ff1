export { createCalls, type CallOutcome, type CallReport, type Calls, type Dispatch } from './calls.ts';
export type { Ending } from './connection.ts';
export { createHttp, type Http } from './http.ts';
export { createLink, type KeyHolder, type Link, type LinkReport } from './link.ts';
export { createOutbox, type Outbox } from './outbox.ts';
export { createServerApi, type ServerApi } from './server-api.ts';
export { createSessionFile, type Session, type SessionFile } from './session-file.ts';
export { openStream } from './stream.ts';

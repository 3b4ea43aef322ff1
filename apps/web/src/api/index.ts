export { answerConsent, changePassword, signIn, signOut, wrongPassword } from './account.ts';
export { failureOf, unreachable, type Failure } from './failure.ts';
export { readDownload, readFile } from './files.ts';
export { apiKey, clockKey, useApi, useClock } from './keys.ts';
export { keepLive } from './live.ts';
export { attempt, createLoaded, createRequest } from './request.ts';
export { sessionProof } from './session-proof.ts';
export { shareLive } from './shared-live.ts';
export { createApi, type Api } from './trpc.ts';

export { answerConsent } from './consent.ts';
export { failureOf, unreachable, type Failure } from './failure.ts';
export { apiKey, clockKey, useApi, useClock } from './keys.ts';
export { keepLive } from './live.ts';
export { shareLive } from './shared-live.ts';
export { signIn, signOut } from './sign-in.ts';
export { createApi, type Api } from './trpc.ts';

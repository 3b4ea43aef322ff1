export { failureOf, unreachable, type Failure } from './failure.ts';
export { apiKey, clockKey, useApi, useClock } from './keys.ts';
export { keepLive, type Listener } from './live.ts';
export { signIn, signOut } from './sign-in.ts';
export { createApi, type Api } from './trpc.ts';

export { bearerOf, createKeys, keysOfCertificates, keysOfJwks, readToken } from './tokens.ts';
export { askWithToken, createAccessToken, GrantRefused } from './access-token.ts';
export { createIsGoogleToken } from './google-token.ts';
export { createProviderToken } from './provider-token.ts';
export { createServiceAccount } from './service-account.ts';

export { bearerOf, createKeys, keysOfCertificates, keysOfJwks, readToken, type Keys } from './tokens.ts';
export { createServiceAccount, GrantRefused } from './service-account.ts';

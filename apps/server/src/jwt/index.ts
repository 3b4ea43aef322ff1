export { bearerOf, createKeys, keysOfCertificates, keysOfJwks, readToken } from './tokens.ts';
export { createServiceAccount, GrantRefused } from './service-account.ts';

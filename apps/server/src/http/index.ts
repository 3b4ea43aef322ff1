export { readJson } from './json-body.ts';
export { requestHeaders } from './request-headers.ts';

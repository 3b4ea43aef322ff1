export { createWeb } from './fetch-page.ts';
export { createOriginFetch } from './origin-fetch.ts';
export { createSearch } from './search.ts';

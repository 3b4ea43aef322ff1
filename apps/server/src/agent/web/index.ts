export { createWeb } from './fetch-page.ts';
export { createOriginFetch, type OriginReply, type OriginRequest } from './origin-fetch.ts';
export { systemOutside, type Outside } from './outside.ts';
export { createSearch, type Search, type SearchConfig } from './search.ts';

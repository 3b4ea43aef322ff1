export { createWeb } from './fetch-page.ts';
export { createSearch } from './search.ts';

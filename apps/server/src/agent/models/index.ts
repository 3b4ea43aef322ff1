export { keyOriginOf, placeOf, type ModelChoice, type ModelPlace, type Provider } from './choice.ts';
export { createModels, type ModelSettings } from './models.ts';

export { choiceOf, keyOriginOf, providerOf, type ModelPlace } from './choice.ts';
export { createModels, type ModelSettings } from './models.ts';
export { verifyModel } from './verify-model.ts';

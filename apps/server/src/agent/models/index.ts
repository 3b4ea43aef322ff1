export { choiceOf, keyOriginOf, providerOf, type ModelPlace } from './choice.ts';
export { chosenModel, createModels, type ModelSettings } from './models.ts';
export { verifyModel } from './verify-model.ts';

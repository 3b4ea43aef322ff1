export {
  choiceOf,
  keyOriginOf,
  providerOf,
  type ModelChoice,
  type ModelPlace,
  type Provider,
} from './choice.ts';
export { chosenModel, createModels, type ModelSettings } from './models.ts';
export { verifyModel } from './verify-model.ts';

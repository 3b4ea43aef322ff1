export { choiceOf, keyOriginOf, providerOf, type ModelPlace } from './choice.ts';
export { chosenModel, createModels, type ModelSettings } from './models.ts';
export { createRecorder, type Recorder } from './record.ts';
export { verifyModel } from './verify-model.ts';

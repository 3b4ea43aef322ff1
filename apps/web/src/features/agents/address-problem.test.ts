import { expect, it } from 'vitest';
import { addressProblem } from './address-problem.ts';
import { recipes } from './recipes.ts';

const recipeOf = (id: string) => {
  const recipe = recipes.find((one) => one.id === id);
  if (!recipe) throw new Error(`No recipe ${id}`);
  return recipe;
};

it.each([
  ['claude-code', 'https://bridge.example.org', null],
  ['claude-code', 'http://localhost:5820', 'only for agents on the computer of the server'],
  ['claude-code', 'http://192.168.1.5:5820', 'not encrypted'],
  ['claude-ai', 'https://bridge.example.org', null],
  ['claude-ai', 'http://localhost:5820', 'needs an https address'],
  ['claude-ai', 'http://bridge.example.org', 'needs an https address'],
])('%s at %s', (id, url, problem) => {
  const said = addressProblem(recipeOf(id), url);
  if (problem === null) expect(said).toBeNull();
  else expect(said).toContain(problem);
});

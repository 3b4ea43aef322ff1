/** Context of families of models in tokens, by the beginning of the name without its maker. */
const families: readonly (readonly [RegExp, number])[] = [
  [/^claude-/, 200_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-4o/, 128_000],
  [/^o[134](-|$)/, 200_000],
  [/^gemini-/, 1_000_000],
  [/^deepseek-/, 128_000],
  [/^kimi-k2/, 128_000],
  [/^glm-4\.[5-9]/, 128_000],
  [/^(mistral-(large|medium|small)|devstral|magistral)/, 128_000],
];

const otherTokens = 32_000;

/** The context of a model in tokens; 32,000 for one that is not known. */
export const contextTokensOf = (model: string): number => {
  const name = model.toLowerCase().split('/').at(-1) ?? '';
  return families.find(([family]) => family.test(name))?.[1] ?? otherTokens;
};

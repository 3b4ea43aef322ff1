// Templates of the panel alone; oxlint reads the scripts.
import parser from '@typescript-eslint/parser';
import vue from 'eslint-plugin-vue';
import vueParser from 'vue-eslint-parser';

const rules = [
  'attribute-hyphenation',
  'component-name-in-template-casing',
  'no-child-content',
  'no-dupe-v-else-if',
  'no-duplicate-attributes',
  'no-parsing-error',
  'no-template-key',
  'no-template-shadow',
  'no-template-target-blank',
  'no-textarea-mustache',
  'no-unused-components',
  'no-unused-vars',
  'no-use-v-else-with-v-for',
  'no-use-v-if-with-v-for',
  'no-useless-template-attributes',
  'no-v-html',
  'no-v-text-v-html-on-component',
  'prefer-template',
  'require-component-is',
  'require-v-for-key',
  'this-in-template',
  'use-v-on-exact',
  'v-on-event-hyphenation',
  'valid-attribute-name',
  'valid-template-root',
  'valid-v-bind',
  'valid-v-else',
  'valid-v-else-if',
  'valid-v-for',
  'valid-v-if',
  'valid-v-model',
  'valid-v-on',
  'valid-v-show',
  'valid-v-slot',
];

export default [
  {
    files: ['**/*.vue'],
    plugins: { vue },
    languageOptions: { parser: vueParser, parserOptions: { parser, sourceType: 'module' } },
    rules: Object.fromEntries(rules.map((rule) => [`vue/${rule}`, 'error'])),
  },
];

/**
 * `npm run lint` runs it as `eslint --config build/eslint.config.mjs`; paths are relative to the project's root.
 * Prettier decides how code is laid out, so no rule here does.
 */
import js from '@eslint/js'
import globals from 'globals'
import { configs as typed } from 'typescript-eslint'

const TYPESCRIPT = ['**/*.ts', '**/*.mts', '**/*.tsx']
const JAVASCRIPT = ['**/*.js', '**/*.mjs', '**/*.cjs']
/** Run in a page of the demo, beside the scripts that make these globals. */
const DEMO_PAGES = ['demo/browser/{host,play}/**', 'demo/{fleet,star-arena}/page/**', 'demo/shared/**']
const DEMO_GLOBALS = {
  Phaser: 'readonly',
  GameServerSidecar: 'readonly',
  GameServerSidecarPlugin: 'readonly',
  gameServerHost: 'readonly',
}
/** Run in a browser or an emulated engine, a few files one after the other, and use each other's globals. */
const GUESTS = ['test/browsers/pages/**', 'test/hosts/guest/**']

/** For every file, whatever it is written in. */
const everywhere = {
  'default-case-last': 'error',
  // `== null` is the short way to say null or undefined.
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'max-lines': ['error', 400],
  'no-else-return': 'error',
  // Text that comes from outside is checked for control characters.
  'no-control-regex': 'off',
  'no-implicit-coercion': ['error', { boolean: false }],
  'no-restricted-exports': [
    'error',
    { restrictDefaultExports: { direct: true, named: true, defaultFrom: true, namedFrom: true, namespaceFrom: true } },
  ],
  'no-self-compare': 'error',
  'no-template-curly-in-string': 'error',
  'no-unneeded-ternary': 'error',
  'no-useless-rename': 'error',
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
}

/** Beside typescript-eslint's strict set, and where that and this code differ. */
const typescript = {
  '@typescript-eslint/consistent-type-exports': 'error',
  '@typescript-eslint/consistent-type-imports': [
    'error',
    { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
  ],
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  // One dialect: `?.` and `??`, also where the longer form comes out a few bytes smaller.
  '@typescript-eslint/prefer-optional-chain': 'error',
  '@typescript-eslint/prefer-nullish-coalescing': [
    'error',
    { ignorePrimitives: { string: true, boolean: true, number: true } },
  ],
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  // The reason of an abort may be anything.
  '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
  '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
  // `return refuse(reason)` leaves a function early, on one line.
  '@typescript-eslint/no-confusing-void-expression': 'off',
  // Headers and variables of the environment are taken out of objects that others made.
  '@typescript-eslint/no-dynamic-delete': 'off',
  // Letters, as code points, are what a spread string is for here.
  '@typescript-eslint/no-misused-spread': 'off',
  // Callers may have no types, and hosts less than the types promise: both are checked at run time.
  '@typescript-eslint/no-unnecessary-condition': 'off',
  // With noUncheckedIndexedAccess, an index that is known to be in range has no other short form.
  '@typescript-eslint/no-non-null-assertion': 'off',
  // Objects are made of closures here, so their methods can be handed on without them.
  '@typescript-eslint/unbound-method': 'off',
  // `void` keeps what an arrow function does from being its value.
  '@typescript-eslint/no-meaningless-void-operator': 'off',
  // Node's own types promise more than there is: `isTTY` is true or undefined.
  '@typescript-eslint/no-unnecessary-boolean-literal-compare': 'off',
  // `async` also turns what a function throws into a rejection.
  '@typescript-eslint/require-await': 'off',
}

/** In `src` only. */
const source = {
  '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true }],
}

/** In tests only. */
const tests = {
  // What `expect.any()`, JSON and a page hand to a test is `any`, and the test is what checks it.
  '@typescript-eslint/no-unsafe-argument': 'off',
  '@typescript-eslint/no-unsafe-assignment': 'off',
  '@typescript-eslint/no-unsafe-call': 'off',
  '@typescript-eslint/no-unsafe-member-access': 'off',
  '@typescript-eslint/no-unsafe-return': 'off',
  // Texts in messages and names of tests.
  '@typescript-eslint/no-base-to-string': 'off',
  '@typescript-eslint/restrict-plus-operands': 'off',
  '@typescript-eslint/restrict-template-expressions': 'off',
  // Stand-ins for the classes and the objects of a host.
  '@typescript-eslint/no-extraneous-class': 'off',
  '@typescript-eslint/no-this-alias': 'off',
}

export default [
  {
    ignores: ['dist/', 'site/', '**/.dist-*/', '.mutation/', 'test/**/fixtures/', '**/node_modules/', 'bench/results/'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' } },
  { ...js.configs.recommended, files: [...TYPESCRIPT, ...JAVASCRIPT] },
  { rules: everywhere },
  ...typed.strictTypeChecked.map((config) => ({ ...config, files: TYPESCRIPT })),
  {
    files: TYPESCRIPT,
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: `${import.meta.dirname}/..` } },
    rules: typescript,
  },
  { files: ['src/**'], rules: source },
  {
    // Compiled to ES2017, a spread copies what the accessors beside it give at that moment.
    files: ['src/{client,engines,frames,players,protocol}/**', 'src/host/{player,wire}/**'],
    rules: {
      'no-restricted-syntax': ['error', 'ObjectExpression:has(> SpreadElement):has(> Property[kind=/[gs]et/])'],
    },
  },
  { files: ['test/**/*.ts'], rules: tests },
  // The tools that read them want a default export.
  { files: ['rollup.config.mjs', 'build/*.config.*', 'vitest.config.ts'], rules: { 'no-restricted-exports': 'off' } },
  // The official SDK's only export is its default.
  { files: ['src/engines/agones-sdk.ts'], rules: { 'no-restricted-exports': 'off' } },
  { files: JAVASCRIPT, languageOptions: { globals: globals.node } },
  { files: DEMO_PAGES, languageOptions: { globals: { ...globals.browser, ...globals.worker, ...DEMO_GLOBALS } } },
  { files: ['docs/site/assets/**'], languageOptions: { globals: globals.browser } },
  { files: GUESTS, rules: { 'no-undef': 'off', 'no-unused-vars': 'off' } },
  // An engine's script VM without newer syntax.
  { files: ['test/hosts/guest/**'], rules: { 'no-var': 'off', 'object-shorthand': 'off' } },
]

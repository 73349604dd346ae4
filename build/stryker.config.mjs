/**
 * `npm run test:mutation` makes a thousand small changes to the client and runs its tests for each. A change that no
 * test notices is untested behaviour. Takes hours for all files and minutes for a few:
 * `npm run test:mutation -- --mutate src/client/state.ts`. A group of tests that is enough for those files
 * can be named too: `MUTATION_TESTS='test/client/listeners*'`.
 */

export default {
  mutate: ['src/client/**/*.ts', '!src/client/types.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'build/vitest.mutation.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // Long enough for a busy machine; only endless waits time out.
  timeoutMS: 20_000,
  // The wording of messages is no contract.
  mutator: { excludedMutations: ['StringLiteral'] },
  tempDirName: '.mutation',
  ignorePatterns: ['**', '!src/**', '!test/**', '!build/**', '!package.json', '!tsconfig.json', 'node_modules'],
  allowEmpty: false,
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { logTests: false, allowEmojis: false },
}

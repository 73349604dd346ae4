/**
 * `npm run test:mutation` changes the client in some way, a thousand times, and runs its tests each time: a change that
 * no test notices is a behaviour that nothing holds. Takes hours for all of it and minutes for a few files:
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

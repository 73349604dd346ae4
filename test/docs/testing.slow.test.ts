import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import * as client from '../../src/index.node.js'
import * as mock from '../../src/platform/mock.js'
import * as node from '../../src/node.js'
import { snippetsOf, type Snippet } from '../support/markdown.js'

const PAGE = 'docs/testing.md'
const snippets = snippetsOf(PAGE)

type Run = () => unknown

/** The tests of a snippet, each with the hooks that run before and after. */
function testsIn({ code }: Snippet): { name: string; run: () => Promise<void> }[] {
  const tests: { name: string; run: Run }[] = []
  const before: Run[] = []
  const after: Run[] = []
  const runner = {
    expect,
    test: Object.assign((name: string, run: Run) => tests.push({ name, run }), {
      // Tests with `runIf` are for another process.
      runIf: () => () => undefined,
    }),
    beforeEach: (run: Run) => before.push(run),
    afterEach: (run: Run) => after.push(run),
  }
  const modules: Readonly<Record<string, unknown>> = {
    vitest: runner,
    'gameserver-sidecar': client,
    'gameserver-sidecar/mock': mock,
    'gameserver-sidecar/node': node,
  }
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  })
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- it is our own page
  const load = new Function('require', 'exports', outputText) as (
    require: (name: string) => unknown,
    exports: object,
  ) => void
  load((name) => modules[name], {})
  return tests.map(({ name, run }) => ({
    name,
    async run() {
      for (const hook of before) await hook()
      try {
        await run()
      } finally {
        for (const hook of after) await hook()
      }
    },
  }))
}

describe(PAGE, () => {
  const tests = snippets.filter(({ language }) => language === 'ts').flatMap(testsIn)
  expect(tests.length).toBeGreaterThanOrEqual(4)

  test.each(tests)('the test "$name" passes', ({ run }) => run())
})

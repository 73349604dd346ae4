import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { firstCells, snippetsOf } from '../../support/markdown.js'
import { root } from '../../support/source.js'
import { startProcess, type GameProcess } from '../../support/start-process.js'

const modules = snippetsOf('README.md').filter(
  ({ language, code }) => /^[jt]s$/.test(language) && code.includes('import '),
)

/** Runs a snippet as a file that somebody has saved beside the installed package, beside a sidecar on a free port. */
async function runModule(context: TestContext, code: string): Promise<GameProcess> {
  const sidecar = startProcess(context, root, [process.execPath, 'dist/cli.js', 'local', '--port', '0'])
  const [, port] = await sidecar.line(/AGONES_SDK_HTTP_PORT=(\d+)/)
  const env = { AGONES_SDK_HTTP_PORT: port }
  return startProcess(context, root, [process.execPath, '--input-type=module', '--eval', code], env)
}

test('every file that docs/README.md lists as an entry is built', () => {
  const named = firstCells('docs/README.md', 'Entries').filter((name) => name.startsWith('dist/'))
  expect(named).not.toEqual([])
  expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([])
})

describe('README', () => {
  test('the module on top prints the output that README shows', async (context) => {
    const game = await runModule(context, modules[0]!.code)
    await game.line(/^now Ready$/)
    const printed = game.lines.filter((line, at) => line !== game.lines[at - 1])
    // On a busy machine the watch may open half a second late, after the middle state has passed. The first state comes
    // by a read that is sent before ready().
    expect(printed.filter((line) => line !== 'now RequestReady')).toEqual(['now Scheduled', 'now Ready'])
  })

  test('begins with the script tag, gameserver events and ready(), in at most five lines and the end of the script', () => {
    const [first] = snippetsOf('README.md')
    expect(first).toMatchObject({ language: 'html' })
    expect(first!.code).toMatch(/umd\.js" data-auto-health[^]*\.on\('gameserver'[^]*\.ready\(\)/)
    const lines = first!.code.trim().split('\n')
    expect(lines.filter((line) => line !== '</script>').length).toBeLessThanOrEqual(5)
  })

  const others = modules.slice(1).map(({ line, code }) => [line, code] as const)
  test.for(others)('the snippet at line %i runs without an error', async ([, code], context) => {
    const game = await runModule(context, code)
    expect(await game.exited, game.lines.join('\n')).toBe(0)
  })
})

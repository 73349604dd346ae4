import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { freePort } from '../support/free-port.js'
import { exampleFolder, examples } from './support/example-folder.js'
import { startProcess } from '../support/start-process.js'

/** Runs the scripts of an example's package.json, at a port of its own. */
async function begin(context: TestContext, example: string) {
  const folder = await exampleFolder(context, example)
  const port = String(await freePort())
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<'start' | 'allocate', string>>
  }
  const PATH = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const env = { PATH, PORT: '0', AGONES_SDK_HTTP_PORT: port }
  // Without npm in between, the end of the test stops the command itself.
  const run = (script: 'start' | 'allocate') =>
    startProcess(context, folder, ['sh', '-c', `exec ${scripts[script].replace('9358', port)}`], env)
  const untilReady = async (): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/gameserver`)
    const { status } = (await response.json()) as { status: { state: string } }
    if (status.state === 'Ready') return
    await new Promise((resolve) => setTimeout(resolve, 100))
    return untilReady()
  }
  return { run, untilReady }
}

describe.concurrent('npm start', () => {
  // A whole Fleet has a test of its own.
  test.for(examples.filter((example) => example !== 'matchmaker'))(
    'runs %s, which npm run allocate allocates, until it is told to stop',
    async (example, context) => {
      const { run, untilReady } = await begin(context, example)
      const start = run('start')
      await start.line(/dashboard at http:/)
      await start.line(/players come in at ws:/)
      await untilReady()
      const allocate = run('allocate')
      expect(await allocate.exited, allocate.lines.join('\n')).toBe(0)
      expect(allocate.lines).toContain('  state: Allocated')
      expect(await start.end('SIGTERM')).toBe(0)
    },
  )
})

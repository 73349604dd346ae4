import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { root } from '../support/source.js'
import { inOrder, startProgram, type Finished } from './run-demo.js'

interface Lifecycle {
  lifecycle(players: number): object[]
  followLifecycle(steps: object[]): { readonly done: Promise<void>; news(item: object): void }
}

const runDemo = (...args: string[]): Promise<Finished> => startProgram('demo/run.mjs', args).finished

describe('npm run demo', () => {
  const steps = [
    /watch +state +Scheduled$/,
    /watch +state +Scheduled → RequestReady$/,
    /watch +state +RequestReady → Ready$/,
    /match +Ada joined|match +Grace joined|match +Linus joined/,
    /watch +state +Ready → Allocated$/,
    /watch +counter +players 3 of 8$/,
    /match +ended: (.* wins with|A draw of .* with|Nobody caught a star)/,
    /watch +state +Allocated → Shutdown$/,
    /^Every step came/,
  ]

  test('plays one match by itself without a terminal, and tells each step as the watch reported it', async () => {
    const { code, lines, errors } = await runDemo()
    expect(errors).toBe('')
    expect(inOrder(lines, steps)).toEqual(steps)
    expect(lines.filter((line) => / trouble /.test(line))).toEqual([])
    expect(code).toBe(0)
  })

  test('an option that makes no sense ends in one sentence and exit code 1', async () => {
    const { code, errors } = await runDemo('--port', '70000')
    expect(errors).toBe('--port must be a whole number from 0 to 65535, not 70000.\n')
    expect(code).toBe(1)
  })
})

describe('what can go wrong in it', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each(['demo/run.mjs', 'demo/browser/run.mjs'])(
    'a port that is taken ends %s in one sentence and exit code 1',
    async (script) => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const { code, errors } = await startProgram(script, ['--once', '--port', String(port)]).finished
      other.close()
      expect(errors).toBe(`Port ${port} is already in use; choose another with --port.\n`)
      expect(code).toBe(1)
    },
  )

  test('a step that does not come is named, with the one before it', async () => {
    vi.useFakeTimers()
    const { followLifecycle, lifecycle } = (await import(
      pathToFileURL(join(root, 'demo', 'lifecycle.mjs')).href
    )) as Lifecycle
    const follower = followLifecycle(lifecycle(3))
    for (const state of ['Scheduled', 'RequestReady', 'Ready', 'Shutdown']) follower.news({ kind: 'state', state })
    vi.advanceTimersByTime(20_000)
    await expect(follower.done).rejects.toThrow(
      'The watch did not report Allocated within 20 s; the last step it reported was Ready.',
    )
  })
})

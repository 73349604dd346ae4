import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { createSeen } from '../support/seen.js'
import { calls, startSidecar } from '../support/with-sidecar.js'

const game = fileURLToPath(new URL('game.mjs', import.meta.url))

interface Running {
  readonly child: ChildProcess
  /** Resolves once this text was printed. */
  printed(text: string): Promise<unknown>
  /** The exit code, and the complete output. */
  readonly finished: Promise<{ readonly code: number | null; readonly out: string }>
}

/** A running game. The mode selects its signal handler, which may run until the timeout. */
async function run(sidecar: LocalSidecar, mode: string, timeout = 60_000): Promise<Running> {
  const child = spawn(process.execPath, [game, sidecar.url, mode, String(timeout)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createSeen<string>()
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', lines.add)
  const printed = (text: string): Promise<unknown> => lines.find((line) => (line.includes(text) ? line : undefined))
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, out: lines.all.join('\n') }))
  await printed('up')
  return { child, printed, finished }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s emits `signal` and `ending`, awaits the handler, calls shutdown(), and exits with 0',
  async (signal) => {
    const sidecar = await startSidecar()
    const { child, finished } = await run(sidecar, 'save')
    child.kill(signal)
    const { code, out } = await finished
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`signal ${signal}\\nending signal true\\nsaved`))
    // The client may read the GameServer afterwards, to confirm the write.
    expect(
      calls(sidecar)
        .filter((name) => name !== 'getGameServer')
        .at(-1),
    ).toBe('shutdown')
  },
)

test.each([
  ['slow', 'the promise that a listener of `ending` returned is awaited', 0, 'saved by ending'],
  ['throw', 'a handler that throws is logged', 1, 'could not save'],
] as const)('%s: %s before shutdown() and the exit', async (mode, _what, code, text) => {
  const sidecar = await startSidecar()
  const { child, finished } = await run(sidecar, mode)
  child.kill('SIGTERM')
  expect(await finished).toMatchObject({ code, out: expect.stringContaining(text) as string })
  expect(calls(sidecar)).toContain('shutdown')
})

test.each([
  ['after its timeout', 500, undefined],
  ['at a second signal', undefined, 'SIGINT'],
] as const)('%s, a handler that hangs is cut off with exit code 1', async (_when, timeout, second) => {
  const { child, printed, finished } = await run(await startSidecar(), 'hang', timeout)
  child.kill('SIGTERM')
  await printed('signal SIGTERM')
  if (second !== undefined) child.kill(second)
  expect((await finished).code).toBe(1)
})

test('the process exits even if the sidecar is gone, and warns that shutdown() failed', async () => {
  const sidecar = await startSidecar()
  const { child, finished } = await run(sidecar, 'save')
  await sidecar.close()
  child.kill('SIGTERM')
  const { code, out } = await finished
  expect(code).toBe(0)
  expect(out).toMatch(/saved\n(.*\n)*warned gameserver-sidecar: shutdown: /)
})

import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { calls, startSidecar } from '../support/with-sidecar.js'

const game = fileURLToPath(new URL('game.mjs', import.meta.url))

interface Running {
  readonly child: ChildProcess
  output(): string
  /** Resolves once that was printed. */
  printed(text: string): Promise<void>
  readonly exit: Promise<number | null>
}

function run(sidecar: LocalSidecar, mode: string): Running {
  const child = spawn(process.execPath, [game, sidecar.url, mode], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const looks = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data.toString()
      looks.forEach((look) => look())
    })
  return {
    child,
    output: () => output,
    printed: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!output.includes(text)) return
          looks.delete(look)
          resolve()
        }
        looks.add(look)
        look()
      }),
    exit: new Promise((resolve) => child.on('close', resolve)),
  }
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('is an event, then the awaited handler, then shutdown(), then exit 0', async () => {
    const sidecar = await startSidecar()
    const process = run(sidecar, 'save')
    await process.printed('up')
    process.child.kill(signal)
    expect(await process.exit).toBe(0)
    expect(process.output()).toMatch(new RegExp(`signal ${signal}\\nending signal true\\nsaved`))
    expect(calls(sidecar).at(-1)).toBe('shutdown')
  })
})

it('a handler that throws is said, and the GameServer is shut down all the same', async () => {
  const sidecar = await startSidecar()
  const process = run(sidecar, 'throw')
  await process.printed('up')
  process.child.kill('SIGTERM')
  expect(await process.exit).toBe(1)
  expect(process.output()).toContain('could not save')
  expect(calls(sidecar)).toContain('shutdown')
})

it('a handler that hangs ends with its time, exit 1', async () => {
  const sidecar = await startSidecar()
  const process = run(sidecar, 'hang')
  await process.printed('up')
  process.child.kill('SIGTERM')
  expect(await process.exit).toBe(1)
})

it('a second signal ends a handler that hangs at once', async () => {
  const sidecar = await startSidecar()
  const process = run(sidecar, 'hang')
  await process.printed('up')
  process.child.kill('SIGTERM')
  await process.printed('signal SIGTERM')
  process.child.kill('SIGINT')
  expect(await process.exit).toBe(1)
})

it('the process ends in time also where the sidecar has gone before it', async () => {
  const sidecar = await startSidecar()
  const process = run(sidecar, 'save')
  await process.printed('up')
  await sidecar.close()
  process.child.kill('SIGTERM')
  expect(await process.exit).toBe(0)
  expect(process.output()).toContain('saved')
})

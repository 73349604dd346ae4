import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { bundleSource } from '../../support/bundle-source.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { guest, isRunning } from './support.js'

const source = fileURLToPath(new URL('../../../src/host/program/program-host.ts', import.meta.url))

/** A host in its own process, and the pids of the program and of the process that the program started. */
async function startHostProcess(deeds: readonly string[]) {
  const main = join(await temporaryFolder('program-host'), 'main.mjs')
  const options = JSON.stringify({ file: guest, args: deeds, local: true })
  await bundleSource(
    `import { createProgramHost } from ${JSON.stringify(source)}
     await createProgramHost({ ...${options}, onEvent: (event) => console.log(JSON.stringify(event)) })`,
    main,
  )
  const host = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] })
  const numbers: Record<string, number> = {}
  onTestFinished(() => {
    host.kill('SIGKILL')
    for (const pid of Object.values(numbers)) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  for await (const line of createInterface(host.stdout)) {
    const { text = '' } = JSON.parse(line) as { text?: string }
    const [, name, pid] = /^(child|up) (\d+)$/.exec(text) ?? []
    if (name !== undefined) numbers[name] = Number(pid)
    if (name === 'up') break
  }
  return { host, program: numbers['up']!, child: numbers['child']! }
}

test.skipIf(process.platform === 'win32').each(['SIGKILL', 'SIGTERM'] as const)(
  'no process of the program outlives a host that %s ends at once',
  async (signal) => {
    const { host, program, child } = await startHostProcess(['stubborn', 'child', 'ready', 'up', 'stay'])
    expect([isRunning(program), isRunning(child)]).toEqual([true, true])
    host.kill(signal)
    await vi.waitFor(() => expect([isRunning(program), isRunning(child)]).toEqual([false, false]), 20_000)
  },
)

import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { CLI } from './support.js'

const PROGRAM = fileURLToPath(new URL('../fleet/program.mjs', import.meta.url))

type Unread = ChildProcessByStdio<null, Readable, Readable>

/** A command whose output nobody reads, until the test does. */
function unread(args: readonly string[], env: NodeJS.ProcessEnv = {}): Unread {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env }, stdio })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function startFleet(format: string): Promise<Unread> {
  const [port, players] = [await freePort(), await freePort()]
  const flags = `--port ${port} --players-port ${players}-${players + 9} --replicas 1 --log-format ${format}`.split(' ')
  const child = unread(['fleet', ...flags, '--', process.execPath, PROGRAM], { BEHAVIOUR: 'flood' })
  const url = `http://127.0.0.1:${port}/apis/agones.dev/v1/namespaces/default/fleets/fleet`
  const isReady = async (): Promise<boolean> => (await (await fetch(url)).text()).includes('"readyReplicas":1')
  // The game is Ready when the Fleet has read the whole flood.
  while (!(await isReady().catch(() => false))) await sleep(50)
  return child
}

test.each([
  ['pretty', /\n… \d+ lines were dropped: nobody read this output\n/],
  ['json', /\n\{"time":"[^"]+","event":"dropped","lines":\d+\}\n/],
])(
  'a Fleet drops and counts a flood of %s lines that nobody reads, and goes on when somebody does',
  async (format, notice) => {
    const child = await startFleet(format)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    await expect.poll(() => output).toMatch(notice)
    expect(output.length).toBeLessThan(10e6)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  },
)

test('a Fleet whose output nobody reads ends at SIGTERM', async () => {
  const child = await startFleet('json')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('exec whose output nobody reads ends at SIGTERM', async () => {
  const full = join(await temporaryFolder('output'), 'full')
  // The game's writes wait as soon as the pipe, which exec has too, is full.
  const flood =
    "const { stderr } = process; const timer = setInterval(() => { if (stderr.writableLength < 1e5) stderr.write('flood'.repeat(1e3)); " +
    `else { clearInterval(timer); fs.writeFileSync(${JSON.stringify(full)}, '') } }, 1); setInterval(() => 0, 1e3)`
  const child = unread(['exec', '--port', '0', '--', process.execPath, '-e', flood])
  await expect.poll(() => existsSync(full)).toBe(true)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([143, null])
})

test.skipIf(process.platform === 'win32').each([
  ['fleet', ['--port', '0', '--replicas', '1', '--', process.execPath, PROGRAM]],
  ['exec', ['--', process.execPath, PROGRAM]],
  ['local', []],
])('%s ends in order when the shell of npm, which started it, gets a signal', async (command, args) => {
  const flags = command === 'fleet' ? [] : ['--port', '0']
  // A shell that waits, as npm's does on most systems.
  const child = spawn('/bin/sh', ['-c', '"$@"; exit $?', 'sh', process.execPath, CLI, command, ...flags, ...args], {
    env: { ...process.env, npm_config_user_agent: 'npm/11', PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = Promise.all([text(child.stdout), text(child.stderr)])
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  // Both end when no process has them any more.
  const [printed, warned] = await out
  if (command === 'fleet') expect(printed).toContain('Ending 1 GameServer')
  if (command === 'exec') expect(warned).toMatch(/npm has ended: SIGTERM to [^]* ended with exit code 0/)
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCommand, type RunningCommand } from '../../src/local/game/start-command.js'
import { temporaryFolder } from '../support/temporary-folder.js'

async function startProgram(...command: [string, ...string[]]): Promise<RunningCommand> {
  const running = await startCommand(command, {})
  onTestFinished(() => void running.kill())
  return running
}

const start = (script: string): Promise<RunningCommand> => startProgram(process.execPath, '-e', script)
const shell = (script: string): Promise<RunningCommand> => startProgram('/bin/sh', '-c', script)

/** Reads until the text matches. */
async function until(stream: Readable | null, pattern: RegExp): Promise<RegExpExecArray> {
  let text = ''
  for await (const chunk of stream!.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const match = pattern.exec(text)
    if (match !== null) return match
  }
  throw new Error(`No ${String(pattern)} in ${JSON.stringify(text)}`)
}

/** Whether a process runs. An ended process stays a zombie until process 1 reaps it. */
const isAlive = async (pid: string | undefined): Promise<boolean> =>
  /^State:\s+[^ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))

const WAIT = 'setInterval(() => {}, 1000); console.log("up")'

describe('a command that is started', () => {
  test('leaves no process behind', async () => {
    const command = await shell('sleep 1000 & echo pid $!; exit 5')
    const [, pid] = await until(command.stdout, /pid (\d+)/)
    expect((await command.exited).code).toBe(5)
    expect(await isAlive(pid)).toBe(false)
  })

  test.skipIf(process.platform !== 'linux')('leaves no process behind that has a session of its own', async () => {
    const child = `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })`
    const command = await start(
      `const { spawn } = require('child_process'); console.log('pid', ${child}.pid); process.exit(5)`,
    )
    const [, pid] = await until(command.stdout, /pid (\d+)/)
    expect((await command.exited).code).toBe(5)
    expect(await isAlive(pid)).toBe(false)
  })

  test('that is a shell leaves its game time to end by SIGTERM', async () => {
    const game = `process.on("SIGTERM", () => setTimeout(() => { console.log("saved"); process.exit() }, 300)); ${WAIT}`
    const command = await shell(`'${process.execPath}' -e '${game}'; true`)
    await until(command.stdout, /up/)
    const saved = until(command.stdout, /saved/)
    command.terminate('SIGTERM')
    await saved
  })

  test('is killed at once, with its child processes', async () => {
    const command = await shell('trap "" TERM; sleep 1000 & echo pid $!; wait; sleep 1000')
    const [, pid] = await until(command.stdout, /pid (\d+)/)
    expect(await isAlive(pid)).toBe(true)
    command.kill()
    expect((await command.exited).signal).toBe('SIGKILL')
    expect(await isAlive(pid)).toBe(false)
  })
})

test('a command that can’t be executed rejects with 126 and the fix', async () => {
  const file = join(await temporaryFolder('start-command'), 'game.js')
  await writeFile(file, '', { mode: 0o644 })
  await expect(startCommand([file], {})).rejects.toMatchObject({
    exitCode: 126,
    message: `${JSON.stringify(file)} can't be executed; make it executable (chmod +x), or give what runs it, such as node ${file}`,
  })
})

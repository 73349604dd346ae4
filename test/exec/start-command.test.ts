import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCommand } from '../../src/node/exec/start-command.js'
import type { RunningCommand, StartCommandOptions } from '../../src/node/exec/start-command.js'
import { temporaryFolder } from '../support/temporary-folder.js'

async function start(script: string, options: StartCommandOptions = {}): Promise<RunningCommand> {
  const command = await startCommand([process.execPath, '-e', script], { stdio: 'pipe', ...options })
  onTestFinished(() => void command.kill())
  return command
}

async function shell(script: string): Promise<RunningCommand> {
  const command = await startCommand(['/bin/sh', '-c', script], { stdio: 'pipe' })
  onTestFinished(() => void command.kill())
  return command
}

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

/** Whether a process runs. One that has ended stays in the table until process 1 takes it away. */
const isAlive = async (pid: string | undefined): Promise<boolean> =>
  /^State:\s+[^ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))

const WAIT = 'setInterval(() => {}, 1000); console.log("up")'

describe('a command that is started', () => {
  test('gives its exit code', async () => {
    const command = await start('process.exit(3)')
    expect(await command.exited).toEqual({ code: 3, signal: null, exitCode: 3 })
  })

  test('gets the environment that was given, and only that', async () => {
    const command = await start('console.log(process.env.PORT, process.env.HOME)', { env: { PORT: '12' } })
    await until(command.stdout, /^12 undefined$/m)
  })

  test('that ends by a signal has 128 and its number as exit code', async () => {
    const command = await start(WAIT)
    await until(command.stdout, /up/)
    command.signal('SIGINT')
    expect(await command.exited).toEqual({ code: null, signal: 'SIGINT', exitCode: 130 })
  })

  test('gets each signal once', async () => {
    const command = await start(
      `let n = 0; process.on('SIGTERM', () => { n += 1; setTimeout(() => process.exit(40 + n), 200) }); ${WAIT}`,
    )
    await until(command.stdout, /up/)
    expect((await command.terminate(60_000)).code).toBe(41)
  })

  test('is killed when it has not ended within the grace period', async () => {
    const command = await start(`process.on('SIGTERM', () => console.log('no')); ${WAIT}`)
    await until(command.stdout, /up/)
    expect(await command.terminate(100)).toEqual({ code: null, signal: 'SIGKILL', exitCode: 137 })
  })

  test('leaves no process behind', async () => {
    const command = await shell('sleep 1000 & echo pid $!; exit 5')
    const [, pid] = await until(command.stdout, /pid (\d+)/)
    expect((await command.exited).code).toBe(5)
    expect(await isAlive(pid)).toBe(false)
  })

  test('that is a shell leaves its game time to end by SIGTERM', async () => {
    const game = `process.on("SIGTERM", () => setTimeout(() => { console.log("saved"); process.exit() }, 300)); ${WAIT}`
    const command = await shell(`'${process.execPath}' -e '${game}'; true`)
    await until(command.stdout, /up/)
    const saved = until(command.stdout, /saved/)
    await command.terminate(60_000)
    await saved
  })

  test('is killed at once, with what it has started', async () => {
    const command = await shell('trap "" TERM; sleep 1000 & echo pid $!; wait; sleep 1000')
    const [, pid] = await until(command.stdout, /pid (\d+)/)
    expect(await isAlive(pid)).toBe(true)
    expect((await command.kill()).signal).toBe('SIGKILL')
    expect(await isAlive(pid)).toBe(false)
  })
})

describe('a command that can’t be started', () => {
  test('is not there: 127, and a sentence', async () => {
    await expect(startCommand(['no-such-game'])).rejects.toMatchObject({
      name: 'CommandError',
      exitCode: 127,
      message: 'There is no command "no-such-game"; check its name, or give its path, such as ./game',
    })
  })

  test('is not executable: 126, and the fix', async () => {
    const file = join(await temporaryFolder('start-command'), 'game.js')
    await writeFile(file, '')
    await chmod(file, 0o644)
    await expect(startCommand([file])).rejects.toMatchObject({
      exitCode: 126,
      message: `${JSON.stringify(file)} can't be executed; make it executable (chmod +x), or give what runs it, such as node ${file}`,
    })
  })
})

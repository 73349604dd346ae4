import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createProgramHost } from '../../../src/host/program/program-host.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { calls, startSidecar, untilLogged } from '../../support/with-sidecar.js'
import { guest, hostGuest, isRunning } from './support.js'

const production = async (): Promise<string> => (await startSidecar()).url
const nowhere = (): Promise<string> => Promise.resolve('http://127.0.0.1:9')
const allocated = async (): Promise<string> => {
  const { url, control } = await startSidecar({ mode: 'local' })
  control({ type: 'setState', state: 'Allocated' })
  return url
}

const named = (name: string) => (event: { event: string }) => event.event === name

describe('a program', () => {
  test('finds the local sidecar by its variables, and counts as booted when it has called ready()', async () => {
    const host = await hostGuest(['greet', 'ready', 'stay'])
    expect(await host.until(named('booted'))).toMatchObject({ ms: expect.any(Number) as number })
    expect(calls(host.local!)).toEqual(['ready'])
    expect(host.lines()).toEqual(expect.arrayContaining(['info: hello', 'error: an error']))
    expect(host.events[0]).toMatchObject({ event: 'program', runtime: 'node' })
  })

  test("gets another platform's variables on request", async () => {
    const host = await hostGuest(['ready', 'stay'], { platform: 'other-name', local: true, restarts: 0 })
    // The guest knows only the names of the usual platform.
    const { code } = await host.exited
    expect(code).toBe(70)
    expect(calls(host.local!)).toEqual([])
  })

  test('that exits with 0 by itself ends the host with 0, and leaves no process behind', async () => {
    const host = await hostGuest(['child', 'ready', 'shutdown', 'leave'])
    expect(await host.exited).toEqual({ code: 0, reason: 'The program has ended.' })
    expect(host.events.at(-1)).toEqual({ event: 'exit', code: 0, reason: 'The program has ended.' })
    expect(host.events.filter(named('crash'))).toEqual([])
    const child = Number(await host.printed('child'))
    await vi.waitFor(() => expect(isRunning(child)).toBe(false), 20_000)
  })

  test.each([
    ['that ends by itself after shutdown()', ['ready', 'shutdown', 'leave']],
    ['that waits for its SIGTERM', ['ready', 'shutdown', 'stay']],
  ])('%s is started again for a fresh GameServer on request', async (_, args) => {
    const host = await hostGuest(args, { local: { replace: true }, restarts: 0 })
    const { text } = (await host.until(named('replaced'))) as { text: string }
    const { name } = host.local!.sidecar.snapshot().gameServer.object_meta
    expect(text).toBe(`GameServer local was shut down; a fresh one, ${name}, takes its place`)
    await host.until((event) => event.event === 'replaced' && event.text !== text)
    const starts = host.events.filter(named('program')).map((event) => 'pid' in event && event.pid)
    expect(new Set(starts).size).toBe(starts.length)
    expect(starts.length).toBeGreaterThan(1)
    expect(host.events.filter(named('crash'))).toEqual([])
    expect(await host.close()).toMatchObject({ code: 0 })
  })

  test('gets the signal and ends by itself, and the host exits with 0, whatever the program’s exit code', async () => {
    const host = await hostGuest(['interrupted by SIGINT', 'up', 'stay'])
    await host.printed('up')
    expect(await host.close('SIGINT')).toMatchObject({ code: 0 })
    expect(host.events.slice(-3)).toEqual([
      { event: 'shutdown', signal: 'SIGINT' },
      { event: 'console', level: 'info', text: 'SIGINT' },
      { event: 'exit', code: 0, reason: 'It was told to stop by SIGINT' },
    ])
  })

  test('that has called shutdown() gets no second shutdown() by the host', async () => {
    const host = await hostGuest(['save', 'ready', 'up', 'stay'])
    await host.printed('up')
    await host.close()
    expect(host.lines()).toContain('info: saved')
    expect(calls(host.local!)).toEqual(['ready', 'shutdown'])
  })

  test('that ends without shutdown() has its host call shutdown()', async () => {
    const sidecar = await startSidecar()
    const host = await hostGuest(['ready', 'up', 'stay'], { sidecar: sidecar.url })
    await host.printed('up')
    await host.close()
    expect(calls(sidecar).filter((operation) => operation === 'shutdown')).toEqual(['shutdown'])
  })

  test('that doesn’t end is killed within the grace period with all its processes, and the host exits with 0', async () => {
    const host = await hostGuest(['stubborn', 'child', 'ready', 'up', 'stay'], { grace: 400 })
    const child = Number(await host.printed('child'))
    const pid = Number(await host.printed('up'))
    expect(await host.close()).toMatchObject({ code: 0 })
    expect(host.lines()).toContain('info: not yet')
    expect(host.events.find(named('warning'))).toMatchObject({ text: expect.stringContaining('200 ms') as string })
    expect(calls(host.local!)).toContain('shutdown')
    expect(isRunning(pid)).toBe(false)
    await vi.waitFor(() => expect(isRunning(child)).toBe(false), 20_000)
  })

  test('whose GameServer is shut down gets SIGTERM, as from a cluster', async () => {
    const host = await hostGuest(['save', 'ready', 'up', 'stay'])
    await host.printed('up')
    host.local!.control({ type: 'delete' })
    expect(await host.exited).toMatchObject({ code: 0 })
    expect(host.lines()).toContain('info: saved')
    expect(host.events).toContainEqual({ event: 'shutdown', signal: 'SIGTERM' })
  })
})

describe('a crash of a program', () => {
  test('before ready() restarts the program up to the limit, then ends the host with 70 and the reason', async () => {
    const host = await hostGuest(['throw'], { restarts: 2 })
    const sentence = 'The program ended with exit code 1: Error: the level is missing'
    expect(await host.exited).toEqual({ code: 70, reason: sentence })
    const crash = host.events.find(named('crash'))
    expect(crash).toMatchObject({ reason: expect.stringMatching(new RegExp(`^${sentence}\n +at `)) as string })
    const story = host.events.map(({ event }) => event).filter((event) => event !== 'console')
    const run = ['program', 'crash']
    expect(story).toEqual([...run, 'warning', ...run, 'warning', ...run, 'exit'])
  })

  test('after ready() ends the host with 70 at once, since the server may have been allocated', async () => {
    const host = await hostGuest(['ready', 'up', 'stay'])
    const pid = Number(await host.printed('up'))
    await untilLogged(host.local!, () => host.local!.sidecar.snapshot().gameServer.status.state === 'Ready')
    process.kill(pid, 'SIGSEGV')
    expect(await host.exited).toEqual({ code: 70, reason: 'The program ended by SIGSEGV' })
    expect(host.events.filter(named('program'))).toHaveLength(1)
  })

  test.each<[string, readonly string[], () => Promise<string>, starts: number]>([
    ['of a server that was Allocated before the host started causes no restart', ['fail'], allocated, 1],
    ['right after ready(), which the sidecar has not written yet, causes no restart', ['ready', 'fail'], production, 1],
    ['beside a sidecar that is not up yet restarts the program', ['fail'], nowhere, 2],
  ])('%s', async (_what, deeds, sidecar, starts) => {
    const host = await hostGuest(deeds, { sidecar: await sidecar(), restarts: 1 })
    expect(await host.exited).toMatchObject({ code: 70 })
    expect(host.events.filter(named('program'))).toHaveLength(starts)
  })

  test('during the pause before the restart, a signal ends the host with 0 and without a restart', async () => {
    const host = await hostGuest(['fail'], { restarts: 5 })
    await host.until(named('warning'))
    expect(await host.close()).toMatchObject({ code: 0 })
    expect(host.events.filter(named('program'))).toHaveLength(1)
  })

  test.each<[string, string, RegExp]>([
    [
      'is reported by its error, however long the list below it',
      'throw at length',
      /^The program ended with exit code 1: Error: no such module$/,
    ],
    [
      'by a full heap is reported as such',
      'run out of heap',
      /^The program ended by SIGABRT: FATAL ERROR: .*out of memory/,
    ],
  ])('%s', async (_what, deed, reason) => {
    const host = await hostGuest([deed], { restarts: 0, runtimeArgs: ['--max-old-space-size=32'] })
    expect((await host.exited).reason).toMatch(reason)
  })

  test('loses no output, not even the start of a line', async () => {
    const host = await hostGuest(['die unfinished'], { restarts: 0 })
    expect((await host.exited).reason).toBe('The program ended with exit code 4: the last words')
    expect(host.lines().sort()).toEqual(['error: the last words', 'info: no end of line'])
  })
})

describe('output of a program', () => {
  test('that floods is limited in lines, and the last line says how many are missing', async () => {
    const host = await hostGuest(['flood'])
    await host.exited
    const lines = host.lines()
    expect(lines.length).toBeLessThan(5_000)
    expect(lines[0]).toMatch(/^info: line 0 x/)
    expect(lines.at(-1)).toMatch(/^warn: \d+ lines of the console were dropped/)
  })

  test('in an endless line is cut', async () => {
    const host = await hostGuest(['endless line'])
    await host.exited
    expect(host.lines().map((line) => line.length)).toEqual([2_000 + 'info: '.length])
  })
})

describe('the start of a program', () => {
  test('fails for a missing file with NO_BUILD, exit code 66', async () => {
    await expect(createProgramHost({ file: 'no/server.mjs', local: true })).rejects.toMatchObject({
      code: 'NO_BUILD',
      exitCode: 66,
      message: 'There is no file no/server.mjs. Build the program first, or give its right path.',
    })
  })

  test('fails for a missing runtime with NO_RUNTIME, exit code 69, and the message says how to install it', async () => {
    vi.stubEnv('PATH', await temporaryFolder('no-runtime'))
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(createProgramHost({ file: guest, runtime: 'deno', local: true })).rejects.toMatchObject({
      code: 'NO_RUNTIME',
      exitCode: 69,
      message: expect.stringMatching(/^Deno is not on PATH.*npm install -g deno/) as string,
    })
  })

  test.each([
    [{ sidecar: 'https://127.0.0.1:9358' }, 'sidecar must be http'],
    [{}, 'Nothing says where the sidecar is'],
  ])('refuses the options %j', async (options, message) => {
    await expect(createProgramHost({ file: guest, ...options })).rejects.toThrow(message)
  })

  test('takes a file whose name looks like an option', async () => {
    const folder = await temporaryFolder('program')
    const here = process.cwd()
    onTestFinished(() => process.chdir(here))
    await writeFile(join(folder, '--version.mjs'), 'console.log("it runs")')
    process.chdir(folder)
    const host = await hostGuest([], { file: '--version.mjs' })
    await host.exited
    expect(host.lines()).toEqual(['info: it runs'])
  })

  test('rejects if the local sidecar’s port is taken, and leaves no program behind', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as AddressInfo
    await expect(createProgramHost({ file: guest, local: { port } })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { call, cli, control, NO_SIDECAR, readGameServer } from './support.js'
import type { Run } from './support.js'

/** A game that says what it gets; its argument is how it takes a signal. */
const GAME = `
const base = 'http://' + process.env.AGONES_SDK_HTTP_HOST + ':' + process.env.AGONES_SDK_HTTP_PORT
const post = (path) => fetch(base + path, { method: 'POST', body: '{}' })
const [how] = process.argv.slice(2)
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => {
    console.log('got ' + name)
    if (how !== 'deaf') setTimeout(() => process.exit(7), 300)
  })
await post('/ready')
console.log('up ' + base + ' ' + process.pid)
if (how === 'matches') await post('/shutdown')
setInterval(() => {}, 1000)
`

async function exec(
  options: readonly string[],
  how = 'polite',
  shell: readonly string[] = [],
): Promise<Run & { url: string; pid: number }> {
  const file = join(await temporaryFolder('exec'), 'game.mjs')
  await writeFile(file, GAME)
  const run = cli(['exec', ...options, '--', ...shell, process.execPath, file, how], NO_SIDECAR)
  const [, url, pid] = await run.line(/^up (\S+) (\d+)$/)
  return { ...run, url: url!, pid: Number(pid) }
}

const isAlive = async (pid: number): Promise<boolean> =>
  /^State:\s+[^ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))

const shell = (script: string): Run => cli(['exec', '--', '/bin/sh', '-c', script], NO_SIDECAR)

describe('exec', () => {
  test('ends with the code of the command, whose output is all there is on stdout', async () => {
    expect(await shell('echo out; echo err >&2; exit 3').finished).toMatchObject({
      code: 3,
      out: 'out',
      err: expect.stringMatching(
        /^sidecar: http:\/\/127\.0\.0\.1:\d+ .*dashboard at .*\/_\/\nerr\nsidecar: \/bin\/sh ended with exit code 3; GameServer local\S* is Scheduled$/,
      ) as string,
    })
  })

  test('hands its stdin on, and ends with 128 and the number of the signal that ended the command', async () => {
    const run = shell('cat; kill -KILL $$')
    run.child.stdin!.end('hello')
    expect(await run.finished).toMatchObject({ code: 137, out: 'hello' })
  })

  test('a command that is not there is 127 and a sentence, one that can’t be executed 126', async () => {
    const missing = await cli(['exec', '--', 'no-such-game'], NO_SIDECAR).finished
    expect(missing.code).toBe(127)
    expect(missing.err).toMatch(/\nsidecar: There is no command "no-such-game"; check its name/)
    expect((await cli(['exec', '--', '/etc/passwd'], NO_SIDECAR).finished).code).toBe(126)
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('passes %s on, once', async (signal) => {
    const run = await exec([])
    run.child.kill(signal)
    const { code, out } = await run.finished
    expect(code).toBe(7)
    expect(out.match(/got \w+/g)).toEqual([`got ${signal}`])
  })

  test.each(['SIGINT', 'SIGHUP'] as const)('%s ends a game that a shell waits for, as npm’s does', async (signal) => {
    const run = await exec([], 'polite', ['/bin/sh', '-c', '"$@"; exit $?', 'sh'])
    run.child.kill(signal)
    const { out } = await run.finished
    expect(out.match(/got \w+/g)?.slice(0, 1)).toEqual([`got ${signal}`])
    expect(await isAlive(run.pid)).toBe(false)
  })

  test('terminate deletes the GameServer and sends SIGTERM, and the command’s code counts', async () => {
    const run = await exec([])
    await control(run.url, { type: 'terminate' })
    await run.line(/got SIGTERM/)
    expect((await readGameServer(run.url)).object_meta.deletion_timestamp).not.toBe('0')
    expect((await run.finished).code).toBe(7)
  })

  test('a command that ignores SIGTERM is killed when the grace period is over', async () => {
    const run = await exec([], 'deaf')
    await control(run.url, { type: 'terminate', graceMs: 200 })
    const { code, out } = await run.finished
    expect(code).toBe(137)
    expect(out).toMatch(/got SIGTERM/)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'a command that ignores %s, as of a terminal that is closed, is killed when the grace period is over',
    async (signal) => {
      const run = await exec(['--grace', '0.2'], 'deaf')
      run.child.kill(signal)
      const { code, out, err } = await run.finished
      expect([code, out]).toEqual([137, expect.stringMatching(new RegExp(`got ${signal}$`))])
      expect(err).toContain(`still runs 0.2 s after ${signal}: SIGKILL`)
    },
  )

  test('missed beats are told, as local tells them', async () => {
    const file = join(await temporaryFolder('exec'), 'gameserver.yaml')
    await writeFile(file, 'spec: { health: { initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 2 } }')
    const run = await exec(['--file', file])
    await run.errorLine(/warning: .*beat/)
    run.child.kill('SIGKILL')
  })

  test('a GameServer that is shut down leaves the command alone, as tests want it', async () => {
    const run = await exec([])
    await call(run.url, '/shutdown')
    await expect.poll(async () => (await readGameServer(run.url)).status.state).toBe('Shutdown')
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await isAlive(run.pid)).toBe(true)
    expect((await readGameServer(run.url)).status.state).toBe('Shutdown')
  })

  test('--restart runs the command again for a fresh GameServer, at the same address, until it is told to end', async () => {
    const run = await exec(['--restart'], 'matches')
    const { uid } = (await readGameServer(run.url)).object_meta
    const [, again] = await run.line(new RegExp(`^up ${run.url} (?!${run.pid}$)(\\d+)$`))
    expect((await readGameServer(run.url)).object_meta.uid).not.toBe(uid)
    expect(await isAlive(run.pid)).toBe(false)
    run.child.kill('SIGINT')
    expect((await run.finished).code).toBe(7)
    expect(await isAlive(Number(again))).toBe(false)
  })

  test('--restart leaves a command ended that has crashed', async () => {
    const { code } = await cli(['exec', '--restart', '--', '/bin/sh', '-c', 'exit 4'], NO_SIDECAR).finished
    expect(code).toBe(4)
  })

  test('a command does not outlive exec, not even one that is killed', async () => {
    const run = await exec([])
    run.child.kill('SIGKILL')
    await expect.poll(() => isAlive(run.pid)).toBe(false)
  })
})

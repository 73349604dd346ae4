import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../support/temporary-folder.js'
import { call, cli, control, NO_SIDECAR, readGameServer, type Run } from './support.js'

/** A game that prints the signals it gets. Its argument says what it does then. */
const GAME = `
const base = 'http://' + process.env.AGONES_SDK_HTTP_HOST + ':' + process.env.AGONES_SDK_HTTP_PORT
const post = (path) => fetch(base + path, { method: 'POST', body: '{}' })
const [how] = process.argv.slice(2)
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => {
    console.log('got ' + name)
    if (how !== 'deaf' && how !== 'waits') setTimeout(() => process.exit(7), 300)
  })
if (how === 'waits') process.stdin.resume().on('end', () => process.exit(7))
const { object_meta: meta } = await (await fetch(base + '/gameserver')).json()
await post('/ready')
console.log('up ' + base + ' ' + process.pid + ' ' + meta.uid)
if (how === 'matches') await post('/shutdown')
setInterval(() => {}, 1000)
`

async function exec(
  options: readonly string[],
  how = 'polite',
  shell: readonly string[] = [],
): Promise<Run & { url: string; pid: number; uid: string }> {
  const file = await temporaryFile('game.mjs', GAME)
  const run = cli(['exec', ...options, '--', ...shell, process.execPath, file, how], NO_SIDECAR)
  const [, url, pid, uid] = await run.line(/^up (\S+) (\d+) (\S+)$/)
  return { ...run, url: url!, pid: Number(pid), uid: uid! }
}

const isAlive = async (pid: number): Promise<boolean> =>
  /^State:\s+[^ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))

const shell = (script: string): Run => cli(['exec', '--', '/bin/sh', '-c', script], NO_SIDECAR)

describe('exec', () => {
  test('exec ends with the command’s exit code, and stdout holds only the command’s output', async () => {
    expect(await shell('echo out; echo err >&2; exit 3').finished).toMatchObject({
      code: 3,
      out: 'out',
      err: expect.stringMatching(
        /^sidecar: http:\/\/127\.0\.0\.1:\d+ .*dashboard at .*\/_\/\nerr\nsidecar: \/bin\/sh ended with exit code 3; GameServer local\S* is Unhealthy$/,
      ) as string,
    })
  })

  test('exec passes stdin on, and ends with 128 plus the number of the signal that ended the command', async () => {
    const run = shell('cat; kill -KILL $$')
    run.child.stdin!.end('hello')
    expect(await run.finished).toMatchObject({ code: 137, out: 'hello' })
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('exec forwards %s once', async (signal) => {
    const run = await exec([])
    run.child.kill(signal)
    const { code, out } = await run.finished
    expect(code).toBe(7)
    expect(out.match(/got \w+/g)).toEqual([`got ${signal}`])
  })

  test.each(['SIGINT', 'SIGHUP'] as const)('%s reaches a game in a shell, as npm starts it', async (signal) => {
    const run = await exec([], 'polite', ['/bin/sh', '-c', '"$@"; exit $?', 'sh'])
    run.child.kill(signal)
    const { out } = await run.finished
    expect(out.match(/got \w+/g)?.slice(0, 1)).toEqual([`got ${signal}`])
    expect(await isAlive(run.pid)).toBe(false)
  })

  test('terminate deletes the GameServer and sends SIGTERM, and exec ends with the command’s code', async () => {
    const run = await exec([], 'waits')
    await control(run.url, { type: 'terminate' })
    await run.line(/got SIGTERM/)
    expect((await readGameServer(run.url)).object_meta.deletion_timestamp).not.toBe('0')
    run.child.stdin!.end()
    expect((await run.finished).code).toBe(7)
  })

  test('a command that ignores SIGHUP is killed after the grace period', async () => {
    const run = await exec(['--grace', '2'], 'deaf')
    run.child.kill('SIGHUP')
    const { code, out, err } = await run.finished
    expect([code, out]).toEqual([137, expect.stringMatching(/got SIGHUP$/)])
    expect(err).toContain('still runs 2 s after SIGHUP: SIGKILL')
  })

  test('exec warns of missed beats', async () => {
    const health = '{ initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 2 }'
    const file = await temporaryFile('gameserver.yaml', `spec: { health: ${health} }`)
    const run = await exec(['--file', file])
    await run.errorLine(/warning: .*beat/)
    run.child.kill('SIGKILL')
  })

  test('a GameServer that is shut down stays, and the command goes on', async () => {
    const run = await exec([])
    await control(run.url, { type: 'setClock', speed: 0 })
    await call(run.url, '/shutdown')
    await control(run.url, { type: 'advanceClock', ms: 60_000 })
    expect(await isAlive(run.pid)).toBe(true)
    expect((await readGameServer(run.url)).status.state).toBe('Shutdown')
  })

  test('--restart runs the command again for a fresh GameServer at the same address, until a signal', async () => {
    const run = await exec(['--restart'], 'matches')
    const [, again, uid] = await run.line(new RegExp(`^up ${run.url} (?!${run.pid} )(\\d+) (\\S+)$`))
    expect(uid).not.toBe(run.uid)
    expect(await isAlive(run.pid)).toBe(false)
    run.child.kill('SIGINT')
    expect((await run.finished).code).toBe(7)
    expect(await isAlive(Number(again))).toBe(false)
  })
})

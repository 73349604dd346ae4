import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.js'
import { call, CLI, cli, NO_SIDECAR, startLocal } from './support.js'

/** A served folder on any free port, from its first line on. */
async function startServe(dir: string): Promise<ReturnType<typeof cli> & { readonly url: string }> {
  await writeFile(join(dir, 'index.html'), '<!doctype html>')
  const run = cli(['serve', dir, '--port', '0', '--local'], NO_SIDECAR)
  const match = await run.line(/ at (http:\/\/\S+)/)
  return { ...run, url: match[1]!.replace(/\/$/, '') }
}

describe('the command line as a process', () => {
  test.each([[['--version']], [['local', '--port', '0', '-V']]])(
    '%j prints the version of the package and starts nothing',
    async (args) => {
      const { code, out } = await cli(args).finished
      expect(out.trim()).toMatch(/^\d+\.\d+\.\d+\S*$/)
      expect(code).toBe(0)
    },
  )

  test.each([
    ['the one of its GameServer', undefined, '7777'],
    ['one of the environment, which its GameServer then has too', '3123', '3123'],
  ])('exec gives the command the name of its GameServer and as PORT %s', async (_, given, port) => {
    const game =
      'const { PORT, GAMESERVER_NAME, AGONES_SDK_HTTP_PORT: own } = process.env; ' +
      "fetch('http://127.0.0.1:' + own + '/gameserver').then((answer) => answer.json()).then(({ object_meta, status }) => " +
      'console.log(PORT, GAMESERVER_NAME === object_meta.name, status.ports[0].port))'
    const { out } = await cli(['exec', '--port', '0', '--', process.execPath, '-e', game], { PORT: given }).finished
    expect(out).toBe(`${port} true ${port}`)
  })

  test('a mistake prints one sentence on stderr, without a stack, and ends with 64', async () => {
    const { code, out, err } = await cli(['lcoal']).finished
    expect({ code, out, err }).toEqual({ code: 64, out: '', err: 'There is no command "lcoal"; did you mean "local"?' })
  })

  test.each([
    [{}, false],
    [{ FORCE_COLOR: 'true', NO_COLOR: '1', TERM: 'dumb' }, true],
  ])('without a terminal, %o turns on colours: %s', async (env, expected) => {
    const { finished } = cli(['local', '--port', '0', '--timeout', '0.01'], env)
    expect((await finished).out.includes('\u001b[1mSIDECAR')).toBe(expected)
  })

  test('JSON has no colours, whatever FORCE_COLOR says', async () => {
    const args = ['local', '--port', '0', '--timeout', '0.01', '--log-format', 'json']
    const { out } = await cli(args, { FORCE_COLOR: '3' }).finished
    expect(out).toMatch(/^\{"time".*"listening"/)
    expect(out).not.toContain('\u001b')
  })

  test('keeps running when the reader of its output exits', async () => {
    const { url, child, finished } = await startLocal()
    child.stdout!.destroy()
    await call(url, '/ready').catch(() => undefined)
    await call(url, '/ready').catch(() => undefined)
    child.kill('SIGTERM')
    expect((await finished).err).toBe('')
  })

  test('escapes the control characters of its file', async () => {
    const nasty = '\\e]0;title\\a\\e[2J\\u009b31m\\u202e\\u2028'
    const path = await temporaryFile('gs.yaml', `metadata: { labels: { "${nasty}": "${nasty}" } }\n`)
    const { child, line, errorLine, finished } = await startLocal(['--file', path, '--verbose'])
    await writeFile(path, `metadata: { labels: { "other${nasty}": "${nasty}" } }\n`)
    await line(/reload/)
    await writeFile(path, `metadata: { labels: { "${nasty}": 5 } }\n`)
    await errorLine(/warning/)
    await writeFile(path, `"${nasty}": 5\n`)
    await errorLine(/has no field/)
    child.kill('SIGTERM')
    const { out, err } = await finished
    for (const printed of [out, err]) expect(printed).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u)
  })

  // A command that writes and ends, and one that would go on.
  test.skipIf(process.platform !== 'linux').each([['help'], ['local', '--port', '0']])(
    '%s ends with 1 and a sentence if the disk is full',
    async (...args) => {
      const full = await open('/dev/full', 'w')
      onTestFinished(() => full.close())
      const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', full.fd, 'pipe'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      const [err, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')])
      expect(err).toMatch(/^The output can't be written: ENOSPC: .+\.\n$/)
      expect(code).toBe(1)
    },
  )
})

describe('a signal', () => {
  test('SIGTERM ends local with 0, and cuts its watchers', async () => {
    const { url, child, finished } = await startLocal()
    const socket = new WebSocket(`${url.replace('http', 'ws')}/watch/gameserver`)
    const closed = once(socket, 'close')
    await once(socket, 'message')
    const stream = await fetch(`${url}/watch/gameserver`)
    const cut = stream.text().catch(() => 'cut')
    child.kill('SIGTERM')
    expect(await finished).toMatchObject({ code: 0, err: '' })
    expect((await closed)[0]).toBe(1006)
    expect(await cut).toBe('cut')
  })

  test('SIGINT, which npm sends twice, ends serve, and its watches get the reason', async () => {
    const { url, child, finished } = await startServe(await temporaryFolder('gameserver-serve'))
    const socket = new WebSocket(`${url.replace('http', 'ws')}/_/sidecar/watch/gameserver`)
    const closed = once(socket, 'close')
    await once(socket, 'message')
    const stream = await fetch(`${url}/_/sidecar/watch/gameserver`)
    child.kill('SIGINT')
    child.kill('SIGINT')
    const lines = (await stream.text()).trim().split('\n')
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ error: { code: 14, message: expect.stringContaining('SIGINT') } })
    const [code, reason] = (await closed) as [number, Buffer]
    expect([code, reason.toString()]).toEqual([1001, 'SIGINT'])
    expect(await finished).toMatchObject({ code: 0, err: '' })
  })

  test('that comes a second time ends the process at once', async () => {
    const dir = await temporaryFolder('gameserver-serve')
    await writeFile(join(dir, 'large.bin'), Buffer.alloc(64 * 1024 * 1024))
    const { url, child, finished } = await startServe(dir)
    // A client that doesn't read its response delays the end by at most five seconds.
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'readable')
    // It is sent until it counts: two that come close together are one, as npm passes them on.
    const again = setInterval(() => child.kill('SIGTERM'), 100)
    const { code } = await finished
    clearInterval(again)
    expect(code).toBe(143)
  })
})

import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/temporary-folder.js'
import { call, cli, NO_SIDECAR, readGameServer, startLocal } from './support.js'

const HEAD = 'apiVersion: allocation.agones.dev/v1\nkind: GameServerAllocation\n'

async function manifestFile(text: string): Promise<string> {
  const path = join(await temporaryFolder('gameserver-cli'), 'allocation.yaml')
  await writeFile(path, HEAD + text)
  return path
}

describe('allocate', () => {
  test('sends a manifest, prints the answer as YAML, and ends with 1 and the reason where nothing matches', async () => {
    const { url, line } = await startLocal(['--mode', 'local'])
    const env = { ...NO_SIDECAR, AGONES_SDK_HTTP_PORT: new URL(url).port }
    const path = await manifestFile('spec:\n  selectors: [{ matchLabels: { mode: dm } }]\n')
    const refused = await cli(['allocate', '-f', path], env).finished
    expect(refused.err).toBe('Not allocated: selector 1: label mode is not set, must be "dm".')
    expect(parse(refused.out)).toMatchObject({ status: { state: 'UnAllocated' } })
    expect(refused.code).toBe(1)
    await line(/control allocate by manifest +not allocated: selector 1: label mode is not set, must be "dm"$/)

    await call(url, '/metadata/label', { key: 'mode', value: 'dm' }, 'PUT')
    const again = await manifestFile('spec:\n  selectors: [{ matchLabels: { agones.dev/sdk-mode: dm } }]\n')
    const done = await cli(['allocate', '-f', again], env).finished
    expect(done.err).toBe('Allocated local, at 127.0.0.1:7777.')
    expect(parse(done.out)).toMatchObject({ kind: 'GameServerAllocation', status: { gameServerName: 'local' } })
    expect(done.code).toBe(0)
  })

  test('makes the manifest of its flags, and prints JSON if it is told to', async () => {
    const { url } = await startLocal(['--mode', 'local'])
    const flags = ['--label', 'mode=dm', '--annotation', 'x=a b', '--increment', 'rooms=3']
    const lists = ['--add-to', 'players=alice', '--add-to', 'players=bob', '--match', 'islocal=true', '--json']
    const { out, code } = await cli(['allocate', '--url', url, ...flags, ...lists]).finished
    expect(JSON.parse(out)).toMatchObject({
      spec: { selectors: [{ matchLabels: { islocal: 'true' }, gameServerState: 'Ready' }] },
      status: { state: 'Allocated' },
    })
    expect(code).toBe(0)
    const { object_meta: meta, status } = await readGameServer(url)
    expect(meta.labels?.['mode']).toBe('dm')
    expect(meta.annotations?.['x']).toBe('a b')
    expect(status.counters?.['rooms']?.count).toBe('4')
    expect(status.lists?.['players']?.values?.slice(-2)).toEqual(['alice', 'bob'])
  })

  const mistakes: readonly (readonly [readonly string[], RegExp, number])[] = [
    [['-f', '/nowhere.yaml'], /^Cannot read \/nowhere\.yaml: there is no such file\.$/, 66],
    [['--label', 'mode'], /argument 'mode' is invalid: it must look like key=value\.$/, 64],
    [['--label', 'a=b=c'], /^spec\.metadata\.labels\.a must be at most 63 letters, digits, .*; got "b=c"\.$/, 64],
    [['-f', 'x.yaml', '--add-to', 'a=b'], /^--add-to and --file exclude each other; write it into the file\.$/, 64],
    [['--url', 'ftp://x'], /^--url must look like /, 64],
    [
      ['--url', 'http://127.0.0.1:1'],
      /^No sidecar answers at http:\/\/127\.0\.0\.1:1; start one with "gameserver-sidecar local", or give its address with --url\.$/,
      69,
    ],
  ]
  test.each(mistakes)('%j is one sentence', async (args, sentence, expected) => {
    const { code, err, out } = await cli(['allocate', ...args], NO_SIDECAR).finished
    expect(err).toMatch(sentence)
    expect(out).toBe('')
    expect(code).toBe(expected)
  })

  test('tells a real sidecar from a local one, and what to do in a cluster', async () => {
    const real = createServer(({ url }, reply) => {
      reply.statusCode = url === '/gameserver' ? 200 : 404
      reply.end(
        url === '/gameserver' ? '{"object_meta":{"name":"a"}}' : '{"code":5,"message":"Not Found","details":[]}',
      )
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void real.close())
    await once(real, 'listening')
    const { port } = real.address() as AddressInfo
    const { code, err } = await cli(['allocate', '--url', `http://127.0.0.1:${port}`]).finished
    expect(err).toMatch(/is a real one, which can't be told to allocate.* kubectl create -f allocation\.yaml/)
    expect(code).toBe(69)
  })

  test('reads no more of an endless answer than a sidecar would send', async () => {
    let sent = 0
    const part = Buffer.alloc(64 * 1024, 'a')
    const server = createServer((_request, response) => {
      const fill = (): void => {
        while (!response.destroyed && response.write(part)) sent += part.length
      }
      response.on('drain', fill)
      fill()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect((await cli(['allocate', '--url', url], NO_SIDECAR).finished).code).toBe(69)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('beyond loopback needs the token', async () => {
    const { url, line } = await startLocal(['--address', '0.0.0.0', '--mode', 'local'])
    const token = (await line(/Token of the control interface: (\S+)/))[1]!
    const without = await cli(['allocate', '--url', url]).finished
    expect(without.err).toMatch(/needs the token that was printed at the start; give it with --token\.$/)
    expect(without.code).toBe(64)
    expect((await cli(['allocate', '--url', url, '--token', token]).finished).code).toBe(0)
  })
})

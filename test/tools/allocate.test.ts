import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { readAllocationFile } from '../../src/cli/commands/allocate.js'
import { announceSidecar, findRunning } from '../../src/cli/find-sidecar.js'
import { freePort } from '../support/free-port.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { faulty, json } from '../doctor/support.js'
import { call, expectRefusal, readGameServer, run, startLocal } from './support.js'

const NO_SIDECAR = 69

beforeEach(async () => {
  vi.stubEnv('AGONES_SDK_HTTP_PORT', undefined)
  // Where sidecars announce themselves.
  vi.stubEnv('XDG_RUNTIME_DIR', await temporaryFolder('announced'))
  return () => vi.unstubAllEnvs()
})

const HEAD = 'apiVersion: allocation.agones.dev/v1\nkind: GameServerAllocation\n'

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryFolder('allocation'), 'allocation.yaml')
  await writeFile(path, text)
  return path
}

describe('allocate', () => {
  test('sends a manifest, prints the answer as YAML, and ends with 1 and the reason where nothing matches', async () => {
    const { url, line } = await startLocal('--mode', 'local')
    vi.stubEnv('AGONES_SDK_HTTP_PORT', new URL(url).port)
    const path = await fileOf(HEAD + 'spec:\n  selectors: [{ matchLabels: { mode: dm } }]\n')
    const refused = await run('allocate', '-f', path).finished
    expect(refused.err).toBe('Not allocated: selector 1: label mode is not set, must be "dm".')
    expect(parse(refused.out)).toMatchObject({ status: { state: 'UnAllocated' } })
    expect(refused.code).toBe(1)
    await line(/control allocate by manifest +not allocated: selector 1: label mode is not set, must be "dm"$/)

    await call(url, '/metadata/label', { key: 'mode', value: 'dm' }, 'PUT')
    const again = await fileOf(HEAD + 'spec:\n  selectors: [{ matchLabels: { agones.dev/sdk-mode: dm } }]\n')
    const done = await run('allocate', '-f', again).finished
    expect(done.err).toBe('Allocated local, at 127.0.0.1:7777.')
    expect(parse(done.out)).toMatchObject({ kind: 'GameServerAllocation', status: { gameServerName: 'local' } })
    expect(done.code).toBe(0)
  })

  test('makes a manifest from its flags, and prints JSON with --json', async () => {
    const { url } = await startLocal('--mode', 'local')
    const flags = ['--label', 'mode=dm', '--annotation', 'x=a b', '--increment', 'rooms=3']
    const lists = ['--add-to', 'players=alice', '--add-to', 'players=bob', '--match', 'islocal=true', '--json']
    const { out, code } = await run('allocate', '--url', url, ...flags, ...lists).finished
    expect(JSON.parse(out)).toMatchObject({
      spec: { selectors: [{ matchLabels: { islocal: 'true' }, gameServerState: 'Ready' }] },
      status: { state: 'Allocated' },
    })
    expect(code).toBe(0)
    const { object_meta: meta, status } = await readGameServer(url)
    expect([meta.labels?.['mode'], meta.annotations?.['x']]).toEqual(['dm', 'a b'])
    expect(status.counters?.['rooms']?.count).toBe('4')
    expect(status.lists?.['players']?.values?.slice(-2)).toEqual(['alice', 'bob'])
  })

  test('with two values in one --add-to warns that the flag has to be repeated', async () => {
    const { url } = await startLocal('--mode', 'local')
    const { err, code } = await run('allocate', '--url', url, '--add-to', 'players=a,b').finished
    expect(err).toMatch(/^warning: "a,b" is one value of players; repeat --add-to for several\.\nAllocated /)
    expect(code).toBe(0)
  })

  test('without a sidecar ends with 69 and says how to start one', async () => {
    // Another program of this machine may have a sidecar at the usual port.
    const sentence =
      /^No sidecar answers at http:\/\/127\.0\.0\.1:1\. (Start one with "gameserver-sidecar|On this machine)/
    await expectRefusal(['allocate', '--url', 'http://127.0.0.1:1'], sentence, NO_SIDECAR)
  })

  test('refuses a real sidecar, and says what to do in a cluster', async () => {
    const sentence = /is a real one, and only the cluster allocates there: use kubectl create -f allocation\.yaml/
    await expectRefusal(['allocate', '--url', await faulty()], sentence, NO_SIDECAR)
  })

  test('stops reading an endless answer', async () => {
    let sent = 0
    const part = Buffer.alloc(64 * 1024, 'a')
    const url = await faulty({
      '*': (_request, response) => {
        const fill = (): void => {
          while (!response.destroyed && response.write(part)) sent += part.length
        }
        response.on('drain', fill)
        fill()
      },
    })
    expect((await run('allocate', '--url', url).finished).code).toBe(NO_SIDECAR)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('needs the token of a sidecar that other machines can reach', async () => {
    const { url, line } = await startLocal('--address', '0.0.0.0', '--mode', 'local')
    const token = (await line(/Token of the control interface: (\S+)/))[1]!
    await expectRefusal(['allocate', '--url', url], /needs the token that was printed at .*; give it with --token\.$/)
    expect((await run('allocate', '--url', url, '--token', token).finished).code).toBe(0)
  })
})

describe('without --url and AGONES_SDK_HTTP_PORT, a command finds the sidecar of this machine', () => {
  beforeEach(async () => vi.stubEnv('XDG_RUNTIME_DIR', await temporaryFolder('runtime')))

  test('at any port', async () => {
    const usual = await freePort()
    expect(await findRunning(usual)).toBe(usual)
    const { url } = await startLocal()
    expect(await findRunning(usual)).toBe(Number(new URL(url).port))
  })

  test('although its state needs a token', async () => {
    const { url } = await startLocal('--address', '0.0.0.0')
    expect(await findRunning(await freePort())).toBe(Number(new URL(url).port))
  })

  test('and ignores the files of other programs and ended processes', async () => {
    const { url, stop, finished } = await startLocal()
    announceSidecar(await faulty({ '*': json(404, {}) }))
    const usual = await freePort()
    expect(await findRunning(usual)).toBe(Number(new URL(url).port))
    stop('SIGTERM')
    await finished
    expect(await findRunning(usual)).toBe(usual)
  })

  test('and lists all URLs where several sidecars run, with their GameServers', async () => {
    const urls = [(await startLocal()).url, (await startLocal()).url]
    const failure = (await findRunning(await freePort()).catch((error: unknown) => error)) as Error
    expect(failure.message).toMatch(/^2 sidecars run on this machine; choose one of them with --url: /)
    for (const url of urls) expect(failure.message).toContain(`${url} (local, Scheduled)`)
  })
})

describe('a mistake in an allocation file is reported with its line and the fix', () => {
  const rows: readonly (readonly [string, string])[] = [
    [
      `${HEAD}spec:\n  selectors:\n    - matchLabels:\n        mode: dm\n      counters:\n        rooms:\n          minAvailble: 1\n`,
      'FILE:9: spec.selectors[0].counters.rooms has no field "minAvailble"; did you mean "minAvailable"?',
    ],
    [
      `kind: Service\n---\n# the second\n${HEAD}spec:\n  counters:\n    rooms: { action: Increment, amount: two }\n`,
      'FILE:8: spec.counters.rooms.amount must be an integer of at least 0; got "two".',
    ],
    [
      `${HEAD}base: &base\n  mode: 5\n`,
      'FILE:3: the manifest has no field "base"; there are apiVersion, kind, metadata, spec, status.',
    ],
    [
      `${HEAD}spec:\n  required: &r\n    matchLabels: { mode: dm }\n  preferred:\n    - *r\n    - gameServerState: Reserved\n`,
      'FILE:8: spec.preferred[1].gameServerState must be "Ready" or "Allocated"; got "Reserved".',
    ],
    [
      `{"apiVersion":"allocation.agones.dev/v1","kind":"GameServerAllocation",\n"spec":{"lists":{"players":\n{"addValues":"a"}}}}`,
      'FILE:3: spec.lists.players.addValues must be a list; got "a".',
    ],
    ['kind: GameServerAllocation\n', 'FILE:1: apiVersion must be "allocation.agones.dev/v1"; got nothing.'],
    ['kind: Fleet\n', 'FILE holds no GameServerAllocation: its kind is "Fleet".'],
    ['spec: {}\n', 'FILE holds no GameServerAllocation: it needs kind: GameServerAllocation.'],
    ['', 'FILE holds no GameServerAllocation: it must be an object.'],
    [`${HEAD}spec: [`, expect.stringMatching(/^FILE is neither YAML nor JSON: .* at line 3, column \d+\.$/) as string],
  ]
  test.each(rows)('%j', async (text, message) => {
    const path = await fileOf(text)
    const failure = (await readAllocationFile(path).catch((error: unknown) => error)) as Error
    expect(failure.message.replace(path, 'FILE')).toEqual(message)
  })
})

test('the first GameServerAllocation of several documents is taken', async () => {
  const path = await fileOf(`kind: Service\n---\n${HEAD}spec:\n  scheduling: Distributed\n---\n${HEAD}`)
  expect(await readAllocationFile(path)).toMatchObject({ spec: { scheduling: 'Distributed' } })
})

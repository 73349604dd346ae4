import { describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { temporaryFile } from '../support/temporary-folder.js'
import { faulty } from '../doctor/support.js'
import { call, expectRefusal, forgetSidecar, readGameServer, run, startLocal } from './support.js'

const NO_SIDECAR = 69

forgetSidecar()

const HEAD = 'apiVersion: allocation.agones.dev/v1\nkind: GameServerAllocation\n'

const fileOf = (text: string): Promise<string> => temporaryFile('allocation.yaml', text)

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

  test('makes a manifest from its flags', async () => {
    const { url } = await startLocal('--mode', 'local')
    const flags = '--label mode=dm --increment rooms=3 --add-to players=alice --add-to players=bob'.split(' ')
    expect((await run('allocate', '--url', url, ...flags).finished).code).toBe(0)
    const { object_meta: meta, status } = await readGameServer(url)
    expect(meta.labels?.['mode']).toBe('dm')
    expect(status.counters?.['rooms']?.count).toBe('4')
    expect(status.lists?.['players']?.values?.slice(-2)).toEqual(['alice', 'bob'])
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

  test('needs the token of a sidecar that other machines can reach, which local warns of and prints', async () => {
    const { url, line, errorLine } = await startLocal('--address', '0.0.0.0', '--mode', 'local')
    await errorLine(/^warning: Listening on 0\.0\.0\.0/)
    const token = (await line(/Token of the control interface: (\S+)/))[1]!
    await expectRefusal(['allocate', '--url', url], /needs the token that was printed at .*; give it with --token\.$/)
    expect((await run('allocate', '--url', url, '--token', token).finished).code).toBe(0)
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
    ['kind: GameServerAllocation\n', 'FILE:1: apiVersion must be "allocation.agones.dev/v1"; got nothing.'],
    ['kind: Fleet\n', 'FILE holds nothing of kind: GameServerAllocation.'],
    [`${HEAD}spec: [`, expect.stringMatching(/^FILE is neither YAML nor JSON: .* at line 3, column \d+\.$/) as string],
  ]
  test.each(rows)('%j', async (text, message) => {
    const path = await fileOf(text)
    const { code, err } = await run('allocate', '-f', path).finished
    expect({ code, err: err.replace(path, 'FILE') }).toEqual({ code: 64, err: message })
  })
})

test('the first GameServerAllocation of several documents is taken', async () => {
  const { url } = await startLocal('--mode', 'local')
  const path = await fileOf(`kind: Service\n---\n${HEAD}spec:\n  scheduling: Distributed\n---\n${HEAD}`)
  const { out } = await run('allocate', '-f', path, '--url', url).finished
  expect(parse(out)).toMatchObject({ spec: { scheduling: 'Distributed' } })
})

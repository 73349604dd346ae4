import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readAllocationFile } from '../../src/cli/allocation.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const HEAD = 'apiVersion: allocation.agones.dev/v1\nkind: GameServerAllocation\n'

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryFolder('allocation-file'), 'allocation.yaml')
  await writeFile(path, text)
  return path
}

describe('a mistake in a file is told with its line and the fix', () => {
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

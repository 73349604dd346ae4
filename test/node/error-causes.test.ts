import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { AllocationError } from '../../src/deploy/allocator.js'
import { HostError } from '../../src/host/host-error.js'
import { SidecarError } from '../../src/index.node.js'
import { GameServerFileError, loadGameServerFile } from '../../src/local/files/game-server-file.js'
import { refusal } from '../../src/players/attached/colyseus-rooms.js'

const cause = new RangeError('what the game threw')
const missing = join(tmpdir(), 'no-such-folder', 'file.yaml')
const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => expect.fail('it should reject'),
    (error: unknown) => error as Error,
  )

test.each<[name: string, error: Error | Promise<Error>, printed: string]>([
  ['a SidecarError', new SidecarError('UNKNOWN', 'onEnding failed', { cause }), 'what the game threw'],
  ['an AllocationError', new AllocationError('ABORTED', 'Aborted', { cause }), 'what the game threw'],
  ['a HostError', new HostError('CRASHED', 'It ended.', undefined, { cause }), 'what the game threw'],
  ['a GameServerFileError', new GameServerFileError('It is empty', { cause }), 'what the game threw'],
  ['a refusal of Colyseus', refusal(new SidecarError('CLOSED', 'It is closed')), 'SidecarError: It is closed'],
  ['a missing GameServer file', failureOf(loadGameServerFile(missing)), 'Error: ENOENT'],
])('%s prints its cause, which is a plain property as an Error’s own', async (_name, given, printed) => {
  const error = await given
  expect(inspect(error).split('[cause]: ')[1]).toContain(printed)
  expect(Object.getOwnPropertyDescriptor(error, 'cause')).toMatchObject({ enumerable: false, writable: true })
})

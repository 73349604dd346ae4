import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

const babylon = runtimeFile('@babylonjs/core/package.json')

describe.skipIf(babylon === undefined)('Babylon.js on its NullEngine in Node', () => {
  let sidecar: LocalSidecar
  let results: Record<string, unknown> = {}

  beforeAll(async () => {
    sidecar = await startSidecar()
    const args = [guestPath('babylon-host.mjs'), dirname(babylon!), sidecar.url]
    results = (await runProcess(process.execPath, args)) as typeof results
  })
  afterAll(() => sidecar.close())

  test('all operations', () => {
    expectAllOperations(results['outcome'], 'websocket', sidecar)
  })

  test('an observable for each event; late observers of what lasts are told at once', () => {
    expect(results['observables']).toEqual({
      counter: 'rooms',
      late: 'Scheduled',
      gameServer: 'arena-1',
      last: 'Shutdown',
      ending: 'shutdown',
    })
  })

  test('no beat while nothing is rendered; dispose() closes the client and removes the observers', () => {
    expect(results['frozen']).toEqual({
      reason: expect.stringContaining('The game loop stands still') as unknown,
      connection: 'closed',
      observed: false,
    })
  })

  test('disposing of the engine closes the client', () => {
    expect(results['disposed']).toBe('closed')
  })
})

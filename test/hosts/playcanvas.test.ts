import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

interface Results {
  module: { outcome: unknown; reason: string }
  classic: { outcome: unknown; destroyed: string }
  destroyed: string
}

const playcanvas = runtimeFile('playcanvas/build/playcanvas.mjs')

describe.skipIf(playcanvas === undefined)('PlayCanvas on its null device in Node', () => {
  let sidecar: LocalSidecar
  let otherSidecar: LocalSidecar
  let results: Results

  beforeAll(async () => {
    sidecar = await startSidecar()
    otherSidecar = await startSidecar()
    const args = [guestPath('playcanvas-host.mjs'), playcanvas!, sidecar.url, otherSidecar.url]
    results = (await runProcess(process.execPath, args)) as Results
  })
  afterAll(() => Promise.all([sidecar.close(), otherSidecar.close()]))

  test('all operations through a script class', () => {
    expectAllOperations(results.module.outcome, 'websocket', sidecar)
  })

  test('all operations through a classic script, whose frames drive the client without timers', () => {
    expectAllOperations(results.classic.outcome, 'websocket', otherSidecar)
  })

  test('no beat while the application stands still', () => {
    expect(results.module.reason).toContain('The game loop stands still')
  })

  test('destroying the entity or the script closes the client', () => {
    expect([results.destroyed, results.classic.destroyed]).toEqual(['closed', 'closed'])
  })
})

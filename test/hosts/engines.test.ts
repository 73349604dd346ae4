import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { root } from '../support/source.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

let sidecar: LocalSidecar
let otherSidecar: LocalSidecar

/** Runs a guest with an engine and two sidecars, and returns the results that it printed. */
async function play<T>(guest: string, engine: string | undefined): Promise<T> {
  sidecar = await startSidecar()
  otherSidecar = await startSidecar()
  if (engine === undefined) return {} as T
  return (await runProcess(process.execPath, [guestPath(guest), engine, sidecar.url, otherSidecar.url])) as T
}
const stopSidecars = (): Promise<unknown> => Promise.all([sidecar.close(), otherSidecar.close()])

const babylon = runtimeFile('@babylonjs/core/package.json')

describe.skipIf(babylon === undefined)('Babylon.js on its NullEngine in Node', () => {
  let results: Record<string, unknown>

  beforeAll(async () => void (results = await play('babylon-host.mjs', dirname(babylon!))))
  afterAll(stopSidecars)

  test('the client does all operations', () => {
    expectAllOperations(results['outcome'], 'websocket', sidecar)
  })

  test('each event has an observable, and late observers get the present state at once', () => {
    expect(results['observables']).toEqual({
      counter: 'rooms',
      late: 'Scheduled',
      gameServer: 'arena-1',
      last: 'Shutdown',
      ending: 'shutdown',
    })
  })

  test('the client sends no beat while nothing is rendered; dispose() closes it and removes the observers', () => {
    expect(results['frozen']).toEqual({
      reason: expect.stringContaining('The game loop stands still') as unknown,
      connection: 'closed',
      observed: false,
    })
  })

  test('engine.dispose() closes the client', () => {
    expect(results['disposed']).toBe('closed')
  })
})

const playcanvas = runtimeFile('playcanvas/build/playcanvas.mjs')

describe.skipIf(playcanvas === undefined)('PlayCanvas on its null device in Node', () => {
  let results: {
    module: { outcome: unknown; reason: string }
    classic: { outcome: unknown }
    destroyed: unknown
  }

  beforeAll(async () => void (results = await play('playcanvas-host.mjs', playcanvas)))
  afterAll(stopSidecars)

  test('a script class does all operations', () => {
    expectAllOperations(results.module.outcome, 'websocket', sidecar)
  })

  test('a classic script does all operations, and its frames drive the client without timers', () => {
    expectAllOperations(results.classic.outcome, 'websocket', otherSidecar)
  })

  test('the client sends no beat while the application makes no frames', () => {
    expect(results.module.reason).toContain('The game loop stands still')
  })

  test('destroying the entity or the script closes the client', () => {
    expect(results.destroyed).toEqual({ entity: 'closed', script: 'closed' })
  })
})

const phasers = [
  ['4.2', join(root, 'node_modules/phaser/dist/phaser.esm.js')],
  ['3.90', runtimeFile('phaser-3/dist/phaser.js')],
] as const

describe.each(phasers)('Phaser %s, headless in Node', (version, phaser) => {
  const guarantee = test.skipIf(phaser === undefined)
  let results: Record<string, unknown>

  beforeAll(async () => void (results = await play('phaser-host.mjs', phaser)))
  afterAll(stopSidecars)

  guarantee('the plugin does all operations, also in the first scene; destroying the game closes the client', () => {
    const { outcome, ...rest } = results['operations'] as { outcome: unknown }
    expectAllOperations(outcome, 'websocket', sidecar)
    expect(rest).toMatchObject({
      version: expect.stringMatching(`^${version.replace('.', '\\.')}`) as unknown,
      mappedInInit: true,
      oneForAllScenes: true,
      isTheSystemScenes: false,
      calledWithContext: true,
      connection: 'closed',
    })
  })

  guarantee('a running game accepts the plugin with a given client, and leaves that client open at its end', () => {
    expect(results['runningGame']).toEqual({ name: 'arena-1', usesTheClient: true, stateAfterDestroy: 'connected' })
  })

  guarantee('a game that has not booted accepts the plugin', () => {
    expect(results['notYetBooted']).toMatchObject({ name: 'arena-1' })
  })

  guarantee('the client sends no beat while the game loop sleeps, and resumes with it', () => {
    const { reason, ok } = results['frozenLoop'] as { reason: string; ok: boolean }
    expect(reason).toContain('The game loop stands still')
    expect(ok).toBe(true)
  })

  guarantee('the helper of the script build adds the plugin to a configuration', () => {
    expect(results['scriptInstall']).toEqual({ name: 'arena-1' })
  })
})

import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { root } from '../support/source.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

let sidecar: LocalSidecar
let otherSidecar: LocalSidecar

beforeEach(async () => {
  sidecar = await startSidecar()
  otherSidecar = await startSidecar()
})
afterEach(() => Promise.all([sidecar.close(), otherSidecar.close()]))

/** Runs a guest with an engine and two sidecars, and returns the results that it printed. */
const play = async (guest: string, engine: string) =>
  (await runProcess(process.execPath, [guestPath(guest), engine, sidecar.url, otherSidecar.url])) as Record<
    string,
    Record<string, unknown>
  >

const still = expect.stringContaining('The game loop stands still') as unknown

const babylon = runtimeFile('@babylonjs/core/package.json')
test.skipIf(babylon === undefined)(
  'Babylon.js on its NullEngine: all operations; observables, whose late observers get the present state; no beat without rendering; dispose() of either closes the client',
  async () => {
    const { outcome, ...results } = await play('babylon-host.mjs', dirname(babylon!))
    expectAllOperations(outcome, 'websocket', sidecar)
    expect(results).toEqual({
      observables: {
        counter: 'rooms',
        late: 'Scheduled',
        gameServer: 'arena-1',
        last: 'Shutdown',
        ending: 'shutdown',
      },
      frozen: { reason: still, connection: 'closed', observed: false },
      disposed: 'closed',
    })
  },
)

const playcanvas = runtimeFile('playcanvas/build/playcanvas.mjs')
test.skipIf(playcanvas === undefined)(
  'PlayCanvas on its null device: all operations in a script class, and in a classic script driven by its frames; no beat without frames; destroying the entity or the script closes the client',
  async () => {
    const { module, classic, destroyed } = await play('playcanvas-host.mjs', playcanvas!)
    expectAllOperations(module!['outcome'], 'websocket', sidecar)
    expectAllOperations(classic!['outcome'], 'websocket', otherSidecar)
    expect([module!['reason'], destroyed]).toEqual([still, { entity: 'closed', script: 'closed' }])
  },
)

test.for([
  ['4.2', join(root, 'node_modules/phaser/dist/phaser.esm.js')],
  ['3.90', runtimeFile('phaser-3/dist/phaser.js')],
] as const)(
  'Phaser %s, headless in Node: all operations, also in the first scene; the plugin also for a game that runs, has not booted or uses the script build; no beat while the loop sleeps; a given client stays open',
  async ([version, phaser], { skip }) => {
    if (phaser === undefined) return skip()
    const { operations, ...results } = await play('phaser-host.mjs', phaser)
    expectAllOperations(operations!['outcome'], 'websocket', sidecar)
    expect(operations).toMatchObject({
      version: expect.stringMatching(`^${version.replace('.', '\\.')}`) as unknown,
      mappedInInit: true,
      oneForAllScenes: true,
      isTheSystemScenes: false,
      calledWithContext: true,
      connection: 'closed',
    })
    expect(results).toMatchObject({
      runningGame: { name: 'arena-1', usesTheClient: true, stateAfterDestroy: 'connected' },
      notYetBooted: { name: 'arena-1' },
      frozenLoop: { reason: still, ok: true },
      scriptInstall: { name: 'arena-1' },
    })
  },
)

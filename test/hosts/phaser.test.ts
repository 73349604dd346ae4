import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { root } from '../support/source.js'
import { guestPath, runProcess, runtimeFile } from './support/runtimes.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

const versions = [
  ['4.2', join(root, 'node_modules/phaser/dist/phaser.esm.js')],
  ['3.90', runtimeFile('phaser-3/dist/phaser.js')],
] as const

describe.each(versions)('Phaser %s, headless in Node', (version, phaser) => {
  const guarantee = test.skipIf(phaser === undefined)
  let sidecar: LocalSidecar
  let otherSidecar: LocalSidecar
  let results: Record<string, unknown> = {}

  beforeAll(async () => {
    sidecar = await startSidecar()
    otherSidecar = await startSidecar()
    if (phaser === undefined) return
    const args = [guestPath('phaser-host.mjs'), phaser, sidecar.url, otherSidecar.url]
    results = (await runProcess(process.execPath, args)) as typeof results
  })
  afterAll(() => Promise.all([sidecar.close(), otherSidecar.close()]))

  guarantee('all operations through the plugin, in the first scene too; destroying the game closes the client', () => {
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

  guarantee('Phaser drops a global plugin of the configuration when headless: hence installSidecarPlugin()', () => {
    expect(results['globalPluginOfTheConfiguration']).toEqual({ mapped: false })
  })

  guarantee('a running game takes the plugin with a client of its own, which outlives it', () => {
    expect(results['runningGame']).toEqual({ name: 'arena-1', usesTheClient: true, stateAfterDestroy: 'connected' })
  })

  guarantee('a game that has not booted yet takes the plugin', () => {
    expect(results['notYetBooted']).toMatchObject({ name: 'arena-1' })
  })

  guarantee('no beat while the game loop stands still, and beats again when it goes on', () => {
    const { reason, ok } = results['frozenLoop'] as { reason: string; ok: boolean }
    expect(reason).toContain('The game loop stands still')
    expect(ok).toBe(true)
  })

  guarantee('load.plugin() takes the script build for a plugin class: all operations', () => {
    const { outcome, isTheGlobalClass } = results['loadPlugin'] as { outcome: unknown; isTheGlobalClass: boolean }
    expectAllOperations(outcome, 'websocket', otherSidecar)
    expect(isTheGlobalClass).toBe(true)
  })

  guarantee('the script build installs itself into a configuration', () => {
    expect(results['scriptInstall']).toEqual({ name: 'arena-1' })
  })
})

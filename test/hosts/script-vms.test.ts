import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { root } from '../support/source.js'
import { build, runInGuest } from './support/guest.js'
import { createBareVm, createQuickJs } from './support/vms.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

let sidecar: LocalSidecar

beforeEach(async () => {
  sidecar = await startSidecar()
})
afterEach(() => sidecar.close())

const vms = [
  ['QuickJS', createQuickJs],
  ['bare V8 context', async () => createBareVm()],
] as const

const socket = 'WebSocket: transports.WebSocket'
const transports = [
  ['fetch and WebSocket', 'websocket', `fetch: transports.fetch, ${socket}`],
  ['fetch alone', 'stream', 'fetch: transports.fetch'],
  ['XMLHttpRequest and WebSocket', 'websocket', `XMLHttpRequest: transports.xmlHttpRequest(false), ${socket}`],
  ['XMLHttpRequest alone', 'stream', 'XMLHttpRequest: transports.xmlHttpRequest(true)'],
] as const

describe.each(vms)('%s, without timers, console, fetch, WebSocket or TextDecoder', (_name, create) => {
  test.each(transports)(
    'the client does all operations and watches over %s, driven by tick()',
    async (_transports, watch, given) => {
      const options = `{ baseUrl: baseUrl, scheduler: false, ${given} }`
      expectAllOperations(await runInGuest(await create(), { baseUrl: sidecar.url, options }), watch, sidecar)
    },
  )

  test('the error for a missing global names it and the option that replaces it', async () => {
    const run = { baseUrl: sidecar.url, options: '{ baseUrl: baseUrl, retry: false }' }
    await expect(runInGuest(await create(), run)).rejects.toThrow(/CONFIG.*[Nn]o fetch.*createClient\({ fetch }\)/)
  })

  test('the script for players reserves, fills, refuses and frees seats, driven by tick()', async () => {
    const program = `function (client) {
      var told = []
      var players = GameServerSidecarPlayers.trackPlayers(client, { capacity: 2, noShow: 3000 })
      players.on('noshow', function (event) { told.push('noshow ' + event.id); if (gone) gone() })
      players.on('error', function (error) { told.push(error.code) })
      var gone
      function join(id) {
        return players.join(id).then(function (how) { told.push(how + ' ' + id) }, function (error) { told.push(error.code + ' ' + id) })
      }
      return client.connect()
        .then(function () { return join('bob') })
        .then(function () { return join('cid') })
        .then(function () { if (told.indexOf('noshow ann') < 0) return new Promise(function (resolve) { gone = resolve }) })
        .then(function () { return players.leave('bob') })
        .then(function () { return { told: told, ids: players.ids, full: players.full } })
    }`
    const run = {
      baseUrl: sidecar.url,
      load: build('umd') + '\n' + build('players.umd'),
      options: `{ baseUrl: baseUrl, scheduler: false, ${transports[0][2]} }`,
      program,
    }
    expect(await runInGuest(await create(), run)).toEqual({
      told: ['joined bob', 'OUT_OF_RANGE cid', 'noshow ann'],
      ids: [],
      full: false,
    })
  })
})

const pluginScript = `(function () { var module = undefined, exports = undefined, define = undefined;
  ${build('umd')}\n}).call(this)`
/** The component of the adapter, which stands in for a client of its own. */
function withComponent(): string {
  const { code } = transformSync(readFileSync(join(root, 'dist/cocos.js'), 'utf8'), { format: 'cjs' })
  return `${pluginScript}
    delete globalThis.setTimeout
    var client = GameServerSidecar
    var module = {};
    (function (require) {\n${code}\n})(() => client)
    var { createSidecarComponent } = module.exports
    GameServerSidecar = {
      createClient: (options) => cc.addComponent(createSidecarComponent(cc, options)).client,
    }`
}

test.each([
  ['Cocos native runtime, the script as a plugin script', pluginScript],
  ['Cocos native runtime over XMLHttpRequest, as before 3.x on iOS', `delete globalThis.fetch;\n${pluginScript}`],
  ['Cocos native runtime through the component, whose frames drive it without timers', withComponent()],
])('the client does all operations in an emulated %s', async (_where, load) => {
  const outcome = await runInGuest(createBareVm(), {
    engine: readFileSync(join(root, 'test/hosts/guest/cocos-native.js'), 'utf8'),
    load,
    options: '{ baseUrl: baseUrl, autoHealth: false }',
    frame: 'cc.director.mainLoop()',
    baseUrl: sidecar.url,
  })
  expectAllOperations(outcome, 'websocket', sidecar)
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { build, runInGuest } from './support/guest.js'
import { createQuickJs } from './support/quickjs.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

let sidecar: LocalSidecar

beforeEach(async () => {
  sidecar = await startSidecar()
})
afterEach(() => sidecar.close())

const socket = 'WebSocket: transports.WebSocket'
const transports = [
  ['fetch and WebSocket', 'websocket', `fetch: transports.fetch(true), ${socket}`],
  ['fetch without streaming, and WebSocket', 'websocket', `fetch: transports.fetch(false), ${socket}`],
  ['fetch alone', 'stream', 'fetch: transports.fetch(true)'],
  ['XMLHttpRequest and WebSocket', 'websocket', `XMLHttpRequest: transports.xmlHttpRequest(false), ${socket}`],
  ['XMLHttpRequest alone', 'stream', 'XMLHttpRequest: transports.xmlHttpRequest(true)'],
] as const

describe('QuickJS, without timers, console, fetch, WebSocket or TextDecoder', () => {
  test.each(transports)(
    'the client does all operations and watches over %s, driven by tick()',
    async (_transports, watch, given) => {
      const options = `{ baseUrl: baseUrl, scheduler: false, ${given} }`
      expectAllOperations(await runInGuest(await createQuickJs(), { baseUrl: sidecar.url, options }), watch, sidecar)
    },
  )

  test('the error for a missing global names it and the option that replaces it', async () => {
    const run = { baseUrl: sidecar.url, options: '{ baseUrl: baseUrl, retry: false }' }
    await expect(runInGuest(await createQuickJs(), run)).rejects.toThrow(
      /CONFIG.*[Nn]o fetch.*createClient\({ fetch }\)/,
    )
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
    expect(await runInGuest(await createQuickJs(), run)).toEqual({
      told: ['joined bob', 'OUT_OF_RANGE cid', 'noshow ann'],
      ids: [],
      full: false,
    })
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { createBareVm } from './support/bare-vm.js'
import { build, runAllOperations } from './support/guest.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

let sidecar: LocalSidecar

beforeEach(async () => {
  sidecar = await startSidecar()
})
afterEach(() => sidecar.close())

/** How hosts evaluate a script. Each leaves the global `GameServerSidecar` for the guest. */
const ways: readonly [name: string, wrap: (code: string) => string][] = [
  ['a plain script', (code) => code],
  [
    'the wrapper of a Cocos plugin script, which shadows module, exports and define',
    (code) => `(function () { var module = undefined, exports = undefined, define = undefined;\n${code}\n}).call(this)`,
  ],
  ['a strict function without this', (code) => `(function () { 'use strict';\n${code}\n}).call(undefined)`],
  ['a script beside leaking CommonJS', (code) => `var module = { exports: {} }, exports = module.exports;\n${code}`],
  ['a script beside an AMD loader', (code) => `var define = function () {}; define.amd = {};\n${code}`],
  [
    'CommonJS',
    (code) => `var module = { exports: {} }, exports = module.exports;\n(function () {\n${code}\n})()
    var GameServerSidecar = module.exports`,
  ],
  [
    'AMD',
    (code) => `var given
    var define = function (factory) { given = factory() }; define.amd = {};\n(function () {\n${code}\n})()
    var GameServerSidecar = given`,
  ],
]

describe('all operations, after the script was evaluated in', () => {
  test.each(ways)('%s', async (_name, wrap) => {
    const outcome = await runAllOperations(createBareVm(), {
      load: wrap(build('umd')),
      baseUrl: sidecar.url,
      options: '{ baseUrl: baseUrl, fetch: transports.fetch(true), WebSocket: transports.WebSocket }',
    })
    expectAllOperations(outcome, 'websocket', sidecar)
  })

  test('a script whose globals come only later', async () => {
    const outcome = await runAllOperations(createBareVm(), {
      load: `${build('umd')}
        globalThis.fetch = transports.fetch(true)
        globalThis.WebSocket = transports.WebSocket`,
      baseUrl: sidecar.url,
      options: '{ baseUrl: baseUrl }',
    })
    expect(outcome).toMatchObject({ transport: 'websocket' })
  })
})

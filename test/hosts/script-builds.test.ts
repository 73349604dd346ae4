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

const both = ['umd', 'iife']

/** How hosts evaluate a script. Each leaves the global `GameServerSidecar` for the guest. */
const ways: readonly [name: string, builds: readonly string[], wrap: (code: string) => string][] = [
  ['a plain script', both, (code) => code],
  [
    'the wrapper of a Cocos plugin script, which shadows module, exports and define',
    both,
    (code) => `(function () { var module = undefined, exports = undefined, define = undefined;\n${code}\n}).call(this)`,
  ],
  ['a strict function without this', both, (code) => `(function () { 'use strict';\n${code}\n}).call(undefined)`],
  [
    'a script beside leaking CommonJS',
    ['iife'],
    (code) => `var module = { exports: {} }, exports = module.exports;\n${code}`,
  ],
  [
    'a script beside an AMD loader',
    ['iife'],
    (code) => `var define = function () { throw new Error('AMD was used') }; define.amd = {};\n${code}`,
  ],
  [
    'CommonJS',
    ['umd'],
    (code) => `var module = { exports: {} }, exports = module.exports;\n${code}
    var GameServerSidecar = module.exports`,
  ],
  [
    'AMD',
    ['umd'],
    (code) => `var GameServerSidecar = {}
    var define = function (names, factory) { factory(GameServerSidecar) }; define.amd = {};\n${code}`,
  ],
]

describe('all operations, after the script was evaluated in', () => {
  test.each(ways.flatMap(([name, builds, wrap]) => builds.map((each) => [name, each, wrap] as const)))(
    '%s: %s',
    async (_name, each, wrap) => {
      const outcome = await runAllOperations(createBareVm(), {
        load: wrap(build(each)),
        baseUrl: sidecar.url,
        options: '{ baseUrl: baseUrl, fetch: transports.fetch(true), WebSocket: transports.WebSocket }',
      })
      expectAllOperations(outcome, 'websocket', sidecar)
    },
  )

  test('a script whose globals come only later', async () => {
    const outcome = await runAllOperations(createBareVm(), {
      load: `${build('iife')}
        globalThis.fetch = transports.fetch(true)
        globalThis.WebSocket = transports.WebSocket`,
      baseUrl: sidecar.url,
      options: '{ baseUrl: baseUrl }',
    })
    expect(outcome).toMatchObject({ transport: 'websocket' })
  })
})

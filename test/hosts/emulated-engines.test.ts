import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterEach, beforeEach, describe, test } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { root } from '../support/source.js'
import { createBareVm } from './support/bare-vm.js'
import { build, runAllOperations } from './support/guest.js'
import { expectAllOperations, startSidecar } from './support/sidecar.js'

let sidecar: LocalSidecar

beforeEach(async () => {
  sidecar = await startSidecar()
})
afterEach(() => sidecar.close())

const engine = (name: string): string => readFileSync(join(root, 'test/hosts/guest', name), 'utf8')
const pluginScript = (code: string): string =>
  `(function () { var module = undefined, exports = undefined, define = undefined;\n${code}\n}).call(this)`

describe('emulated Cocos native runtime', () => {
  const run = (load: string, options: string): Promise<unknown> =>
    runAllOperations(createBareVm(), {
      engine: engine('cocos-native.js'),
      load,
      options,
      frame: 'cc.director.mainLoop()',
      baseUrl: sidecar.url,
    })

  test('all operations, the script as a plugin script', async () => {
    expectAllOperations(await run(pluginScript(build('umd')), '{ baseUrl: baseUrl }'), 'websocket', sidecar)
  })

  test('all operations over XMLHttpRequest, as before 3.x on iOS', async () => {
    const load = `delete globalThis.fetch;\n${pluginScript(build('umd'))}`
    expectAllOperations(await run(load, '{ baseUrl: baseUrl }'), 'websocket', sidecar)
  })

  test('all operations through the component, whose frames drive the client without timers', async () => {
    const { code } = transformSync(readFileSync(join(root, 'dist/cocos.js'), 'utf8'), { format: 'cjs' })
    const load = `${pluginScript(build('umd'))}
      delete globalThis.setTimeout
      var client = GameServerSidecar
      var module = {};
      (function (require) {\n${code}\n})(() => client)
      var { createSidecarComponent } = module.exports
      GameServerSidecar = {
        createClient: (options) => cc.addComponent(createSidecarComponent(cc, options)).client,
      }`
    expectAllOperations(await run(load, '{ baseUrl: baseUrl, autoHealth: false }'), 'websocket', sidecar)
  })
})

describe('emulated mini-game', () => {
  const asModule = (code: string): string => `var module = { exports: {} };
    (function (module, exports) {\n${code}\n})(module, module.exports)
    var GameServerSidecar = module.exports`

  test('all operations, the script as a CommonJS module', async () => {
    const outcome = await runAllOperations(createBareVm(), {
      engine: engine('mini-game.js'),
      load: asModule(build('umd')),
      options: '{ baseUrl: baseUrl }',
      frame: 'frame()',
      baseUrl: sidecar.url,
    })
    expectAllOperations(outcome, 'websocket', sidecar)
  })
})
